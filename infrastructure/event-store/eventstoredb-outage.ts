/** How often a server that is away is looked for, in ms. */
const probeEveryMs = 250
/** How long a look may take, in ms. */
const probeMs = 1_000

/** Knows when a server is away, so that nobody waits for it in vain. */
export type Outages = {
  /** A call that began then has failed; or it has worked. */
  readonly failed: (began: number, error: unknown) => void
  readonly worked: () => void
  /** Why calls fail, once they have been failing for longer than an election takes. */
  readonly away: () => { readonly cause: unknown } | undefined
  /** How long to wait for an answer before the server counts as away, in ms. */
  readonly rest: () => number
  readonly close: () => void
}

type Needs = {
  /** Longer than a cluster takes to choose another leader, in ms. */
  readonly electionMs: number
  /** Asks for something small, whose refusal is an answer too. */
  readonly probe: (timeout: number) => Promise<unknown>
}

/** Watches calls of one kind. It looks for a server that is away, until it answers. */
export const watchOutages = ({ electionMs, probe }: Needs): Outages => {
  let failingSince: number | undefined
  let cause: unknown
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const worked = (): void => {
    if (failingSince === undefined) return
    clearTimeout(timer)
    failingSince = undefined
    isAway = false
  }

  const look = (): void => {
    const began = performance.now()
    probe(probeMs).then(worked, (error: unknown) => {
      cause = error
      if (!isAway || isClosed) return
      const rest = Math.max(0, began + probeEveryMs - performance.now())
      timer = setTimeout(look, rest)
    })
  }

  const giveUp = (): void => {
    isAway = true
    look()
  }

  return {
    worked,
    failed: (began, error) => {
      cause = error
      if (failingSince !== undefined || isClosed) return
      failingSince = began
      timer = setTimeout(giveUp, Math.max(0, began + electionMs - performance.now()))
    },
    away: () => (isAway ? { cause } : undefined),
    rest: () =>
      failingSince === undefined ? Infinity : failingSince + electionMs - performance.now(),
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
