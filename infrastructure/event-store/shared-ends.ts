import type { Ends } from './sqlite-event-writer.ts'

/** Where the log ended after the last commit, in memory that threads share. */
export const sharedEnds = (memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) => {
  const [ofOthers, ofAll] = [0, 1]
  const ends = new BigInt64Array(memory)
  return {
    memory,
    set: ({ end, endOfOthers }: Ends): void => {
      // That of others first: whoever looks in between must not take their events for own ones.
      Atomics.store(ends, ofOthers, BigInt(endOfOthers))
      Atomics.store(ends, ofAll, BigInt(end))
    },
    get: (): Ends => {
      const end = Number(Atomics.load(ends, ofAll))
      return { end, endOfOthers: Number(Atomics.load(ends, ofOthers)) }
    },
  }
}
