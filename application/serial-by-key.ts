import { StoreUnavailable } from './event-store.ts'

/** Runs work for one key at a time, in the order of the calls; work for different keys runs side by side. */
export const makeSerialByKey = () => {
  const last = new Map<string, Promise<unknown>>()

  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    /** The store just timed out; fail the queued work too instead of waiting for it again. */
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
