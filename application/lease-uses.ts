/** Knows what is done with leases: one is given up only when nothing of it is under way. */
export const usesOfLeases = () => {
  let count = 0
  /** By number: which leases each use may touch. */
  const underWay = new Map<number, (work: string) => boolean>()
  /** Leases that begin nothing more, and the number of the last use before that. */
  const ending = new Map<string, number>()

  return {
    /** Does something with leases. */
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
    /** Lets exactly these end. */
    end: (works: readonly string[]): void => {
      for (const work of ending.keys()) if (!works.includes(work)) ending.delete(work)
      for (const work of works) if (!ending.has(work)) ending.set(work, count)
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
