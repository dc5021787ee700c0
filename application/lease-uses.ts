/** How long a lease is kept, in ms: unrecorded results are retried after a second. */
const keptForMs = 3_000

/**
 * Tracks the uses of leases. A lease is released only when no use is in flight and everything is
 * recorded.
 */
export const usesOfLeases = (elapsed: () => number) => {
  let count = 0
  /** By number: the leases that each use may touch. */
  const underWay = new Map<number, (work: string) => boolean>()
  /** Leases that admit no new uses, and the number of the last use before that. */
  const ending = new Map<string, number>()
  const keptUntil = new Map<string, number>()

  const isKept = (work: string): boolean => elapsed() < (keptUntil.get(work) ?? -Infinity)

  return {
    /** Keeps the lease of this work for a while. */
    keep: (work: string): void => void keptUntil.set(work, elapsed() + keptForMs),
    areKept: (works: readonly string[]): boolean => works.some(isKept),
    /** Runs work that uses leases. */
    using: async <Result>(
      touches: (work: string) => boolean,
      work: () => Promise<Result>,
    ): Promise<Result> => {
      const number = (count += 1)
      underWay.set(number, touches)
      try {
        return await work()
      } finally {
        underWay.delete(number)
      }
    },
    /** Starts to release exactly these leases, except kept ones. Returns those that resume. */
    end: (works: readonly string[]): string[] => {
      const free = works.filter((work) => !isKept(work))
      const resumed = [...ending.keys()].filter((work) => !free.includes(work))
      for (const work of resumed) ending.delete(work)
      for (const work of free) if (!ending.has(work)) ending.set(work, count)
      return resumed
    },
    isEnding: (work: string): boolean => ending.has(work),
    ended: (): string[] =>
      [...ending]
        .filter(([work, last]) =>
          [...underWay].every(([number, touches]) => number > last || !touches(work)),
        )
        .map(([work]) => work),
  }
}
