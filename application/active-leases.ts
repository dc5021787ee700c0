type Needs = {
  /** Waits until what earlier holders have done is known here. */
  readonly caughtUp: () => Promise<void>
  readonly onChange: () => void
}

/** What this node may do, since when it has known all that earlier holders have done. */
export const activeLeases = ({ caughtUp, onChange }: Needs) => {
  const active = new Map<string, number>()
  let changes = 0

  const changed = (): void => {
    changes += 1
    onChange()
  }

  return {
    revisionOf: (work: string): number | undefined => active.get(work),
    all: (): string[] => [...active.keys()],
    changes: () => changes,
    /** Looks again at what goes on after all. */
    wake: (works: readonly string[]): void => {
      if (works.some((work) => active.has(work))) changed()
    },
    /** Ends what was lost at once; begins what was won when all before it is known. */
    follow: (does: () => Readonly<Record<string, number>>): void => {
      const now = does()
      const lost = [...active].filter(([work, revision]) => now[work] !== revision)
      for (const [work] of lost) active.delete(work)
      if (lost.length > 0) changed()
      const won = Object.entries(now).filter(([work]) => !active.has(work))
      if (won.length === 0) return
      const begin = (): void => {
        const still = won.filter(([work, revision]) => does()[work] === revision)
        const fresh = still.filter(([work]) => !active.has(work))
        for (const [work, revision] of fresh) active.set(work, revision)
        if (fresh.length > 0) changed()
      }
      // The next look tries again.
      caughtUp().then(begin, () => {})
    },
  }
}
