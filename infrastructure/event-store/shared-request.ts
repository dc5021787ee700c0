import type { Position } from '../../application/event-store.ts'
import type { Ends } from './sqlite-event-writer.ts'

export const [ofOthers, ofAll, ofSharers] = [0, 1, 2]

/** The log's end after the last commit, in memory shared between threads. */
export const sharedEnds = (memory = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)) => {
  const ends = new BigInt64Array(memory)
  const at = (index: number): Position => Number(Atomics.load(ends, index))
  return {
    memory,
    set: ({ end, endOfOthers }: Ends): void => {
      // Other threads' end first: a reader in between must not take their events for its own.
      Atomics.store(ends, ofOthers, BigInt(endOfOthers))
      Atomics.store(ends, ofAll, BigInt(end))
    },
    get: (): Ends => {
      const end = at(ofAll)
      return { end, endOfOthers: at(ofOthers) }
    },
    /** Records up to where threads sharing the writer were acknowledged. */
    answeredSharers: (end: Position): void => {
      if (end > at(ofSharers)) Atomics.store(ends, ofSharers, BigInt(end))
    },
    endOfSharers: (): Position => at(ofSharers),
  }
}

/**
 * Shares one answer between all callers before the request is sent. Later callers wait for the next
 * request, but fail with the current one: it just timed out, and the next one would too.
 */
export const sharedRequest = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let present: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | undefined
  const put = (): Promise<Answer> => {
    next = undefined
    const answer = ask()
    present = answer
    answer.catch(() => {
      present = Promise.resolve()
      next = undefined
    })
    return answer
  }
  return () => (next ??= present.then(put))
}
