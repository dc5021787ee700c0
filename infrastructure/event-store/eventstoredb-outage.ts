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
  /** The service ends: what does not answer from now on counts as away sooner. */
  readonly endSoon: () => void
  readonly close: () => void
}

/** How long a call may take when the service ends, in ms. */
export const endingMs = 700

type Needs = {
  /** Longer than a cluster takes to choose another leader, in ms. */
  readonly electionMs: number
  /** Asks for something small, whose refusal is an answer too. */
  readonly probe: (timeout: number) => Promise<unknown>
}

/** Watches calls of one kind. It looks for a server that is away, until it answers. */
export const watchOutages = ({ electionMs, probe }: Needs): Outages => {
  let patienceMs = electionMs
  let failingSince: number | undefined
  let cause: unknown
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const rest = (): number =>
    failingSince === undefined ? Infinity : failingSince + patienceMs - performance.now()

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
      if (rest() <= 0) giveUp()
      else timer = setTimeout(giveUp, rest())
    },
    away: () => (isAway ? { cause } : undefined),
    rest,
    endSoon: () => {
      patienceMs = Math.min(patienceMs, endingMs)
      if (failingSince === undefined || isAway) return
      clearTimeout(timer)
      timer = setTimeout(giveUp, Math.max(0, rest()))
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
