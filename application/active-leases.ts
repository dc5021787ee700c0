type Needs = {
  /** Resolves once this node has read everything that earlier holders did. */
  readonly caughtUp: () => Promise<void>
  readonly onChange: () => void
}

/**
 * The leases this node may use: those it holds, once it has read everything earlier holders did.
 */
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
    /** Resumes work whose lease is kept after all. */
    wake: (works: readonly string[]): void => {
      if (works.some((work) => active.has(work))) changed()
    },
    /** Stops lost work at once. Starts won work once this node has caught up. */
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
      // Retried at the next look.
      caughtUp().then(begin, () => {})
    },
  }
}
