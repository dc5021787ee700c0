import { StoreUnavailable } from './event-store.ts'

/** Runs jobs in order, also after one that fails. */
export const makeQueue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

export type SerialByKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

/** Runs the jobs of one key in order; different keys run concurrently. */
export const makeSerialByKey = (): SerialByKey => {
  const last = new Map<string, Promise<unknown>>()

  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    /** The store just timed out; fail queued jobs too. */
    const afterFailure = (error: unknown): Promise<Result> => {
      if (error instanceof StoreUnavailable) throw error
      return work()
    }
    const previous = last.get(key)
    const turn = previous ? previous.then(work, afterFailure) : work()
    last.set(key, turn)
    const leave = (): void => {
      if (last.get(key) === turn) last.delete(key)
    }
    turn.then(leave, leave)
    return turn
  }
}
