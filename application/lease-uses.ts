/** For so long a lease is kept, in ms: what could not be recorded is tried again after a second. */
const keptForMs = 3_000

/**
 * Knows what is done with leases: one is given up only when nothing of it is under way, and all of
 * it is recorded.
 */
export const usesOfLeases = (elapsed: () => number) => {
  let count = 0
  /** By number: which leases each use may touch. */
  const underWay = new Map<number, (work: string) => boolean>()
  /** Leases that begin nothing more, and the number of the last use before that. */
  const ending = new Map<string, number>()
  const keptUntil = new Map<string, number>()

  const isKept = (work: string): boolean => elapsed() < (keptUntil.get(work) ?? -Infinity)

  return {
    /** Gives up no lease of this work for a while. */
    keep: (work: string): void => void keptUntil.set(work, elapsed() + keptForMs),
    areKept: (works: readonly string[]): boolean => works.some(isKept),
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
    /** Lets exactly these end that are not kept; answers those that go on after all. */
    end: (works: readonly string[]): string[] => {
      const free = works.filter((work) => !isKept(work))
      const goOn = [...ending.keys()].filter((work) => !free.includes(work))
      for (const work of goOn) ending.delete(work)
      for (const work of free) if (!ending.has(work)) ending.set(work, count)
      return goOn
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
