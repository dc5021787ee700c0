/** How often an unavailable server is probed, in ms. */
const probeEveryMs = 250
/** Timeout of a probe, in ms. */
const probeMs = 1_000

/** Knows when a server is unavailable, so that calls fail fast. */
export type Outages = {
  /** A call started at that time failed; or succeeded. */
  readonly failed: (began: number, error: unknown) => void
  readonly worked: () => void
  /** Why calls fail, once they have failed for longer than an election takes. */
  readonly away: () => { readonly cause: unknown } | undefined
  /** How long to wait for a response before the server counts as unavailable, in ms. */
  readonly rest: () => number
  /** The service is stopping: an unresponsive server counts as unavailable sooner. */
  readonly shortenTimeouts: () => void
  readonly close: () => void
}

/** Timeout of calls while the service is stopping, in ms. */
export const endingMs = 700

type Needs = {
  /** Longer than a cluster takes to elect a leader, in ms. */
  readonly electionMs: number
  /** A cheap request; a refusal counts as a response. */
  readonly probe: (timeout: number) => Promise<unknown>
}

/** Tracks calls of one kind. Probes an unavailable server until it responds. */
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
    shortenTimeouts: () => {
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
