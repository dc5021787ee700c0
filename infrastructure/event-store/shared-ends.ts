import type { Position } from '../../application/event-store.ts'
import type { Ends } from './sqlite-event-writer.ts'

const [ofOthers, ofAll, ofSharers] = [0, 1, 2]

/** Where the log ended after the last commit, in memory that threads share. */
export const sharedEnds = (memory = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)) => {
  const ends = new BigInt64Array(memory)
  const at = (index: number): Position => Number(Atomics.load(ends, index))
  return {
    memory,
    set: ({ end, endOfOthers }: Ends): void => {
      // That of others first: whoever looks in between must not take their events for own ones.
      Atomics.store(ends, ofOthers, BigInt(endOfOthers))
      Atomics.store(ends, ofAll, BigInt(end))
    },
    get: (): Ends => {
      const end = at(ofAll)
      return { end, endOfOthers: at(ofOthers) }
    },
    /** Notes up to where threads that share the writer were answered. */
    answeredSharers: (end: Position): void => {
      if (end > at(ofSharers)) Atomics.store(ends, ofSharers, BigInt(end))
    },
    endOfSharers: (): Position => at(ofSharers),
  }
}
