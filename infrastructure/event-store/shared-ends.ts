import type { Ends } from './sqlite-event-writer.ts'

/** The ends of the last commit in memory that threads share: who looks at them need not be told. */
export const sharedEnds = (memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) => {
  const [ofOthers, ofAll] = [0, 1]
  const ends = new BigInt64Array(memory)
  return {
    memory,
    set: ({ end, endOfOthers }: Ends): void => {
      // Whoever looks in between must not take for own what may be of others.
      Atomics.store(ends, ofOthers, BigInt(endOfOthers))
      Atomics.store(ends, ofAll, BigInt(end))
    },
    get: (): Ends => {
      const end = Number(Atomics.load(ends, ofAll))
      return { end, endOfOthers: Number(Atomics.load(ends, ofOthers)) }
    },
  }
}
