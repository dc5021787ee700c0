import {
  AccessDeniedError,
  CancelledError,
  convertToCommandError,
  NotLeaderError,
  UnavailableError,
} from '@eventstore/db-client'
import { StoreUnavailable } from '../../application/event-store.ts'
import { ignore, isDecided } from './eventstoredb-calls.ts'
import { clearTimeout, setTimeout, steadyTime } from '../../application/machine.ts'

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
  readonly close: () => void
}

type Needs = {
  /** Longer than a cluster takes to elect a leader, in ms. */
  readonly electionMs: number
  /** A cheap request; a refusal counts as a response. */
  readonly probe: (timeout: number) => Promise<unknown>
  /** A call that began then shows that its connection is of no use. */
  readonly lost?: (began: number) => void
}

const isBroken = (error: unknown): boolean =>
  [UnavailableError, CancelledError, NotLeaderError].some((kind) => error instanceof kind)

/** Tells broken and silent connections from slow answers. */
const judgeConnection = (lost: (began: number) => void) => {
  let answeredAt = -Infinity

  /** A frozen node keeps its connections, and answers nothing. */
  const isSilent = (began: number, error: unknown): boolean =>
    error instanceof StoreUnavailable && answeredAt < began && steadyTime() - began >= probeMs

  return {
    answered: (): void => void (answeredAt = steadyTime()),
    /** A call that began then failed with this error. */
    judge: (began: number, error: unknown): void => {
      if (isBroken(error) || isSilent(began, error)) lost(began)
    },
  }
}

/** Tracks calls of one kind. Probes an unavailable server until it responds. */
export const watchOutages = ({ electionMs, probe, lost = ignore }: Needs): Outages => {
  const { answered, judge } = judgeConnection(lost)
  let failingSince: number | undefined
  let cause: unknown
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const rest = (): number =>
    failingSince === undefined ? Infinity : failingSince + electionMs - steadyTime()

  const worked = (): void => {
    answered()
    if (failingSince === undefined) return
    clearTimeout(timer)
    failingSince = undefined
    isAway = false
  }

  const look = (): void => {
    const began = steadyTime()
    probe(probeMs).then(worked, (error: unknown) => {
      cause = error
      if (!isAway || isClosed) return
      judge(began, error)
      const rest = Math.max(0, began + probeEveryMs - steadyTime())
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
      if (!isClosed) judge(began, error)
      if (failingSince !== undefined || isClosed) return
      failingSince = began
      if (rest() <= 0) giveUp()
      else timer = setTimeout(giveUp, rest())
    },
    away: () => (isAway ? { cause } : undefined),
    rest,
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** How often a right that was taken away is asked for, in ms. */
const askRightEveryMs = 500

/** Whether a user still has a right. One denied call may be about its stream alone. */
export const watchRight = (probe: (timeout: number) => Promise<unknown>) => {
  let denial: Error | undefined
  let isLooking = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const look = async (denied: Error): Promise<void> => {
    try {
      await probe(probeMs)
      denial = undefined
    } catch (error) {
      const found = error instanceof Error ? convertToCommandError(error) : error
      if (found instanceof AccessDeniedError) denial = denied
      // Of an append that nobody may make, another refusal shows that its writer may append.
      else if (isDecided(found)) denial = undefined
    }
    isLooking = denial !== undefined && !isClosed
    if (isLooking) timer = setTimeout(begin, askRightEveryMs, denied)
  }

  const begin = (error: Error): void => {
    look(error).catch(() => (isLooking = false))
  }

  return {
    /** A call was denied with this error. */
    denied: (error: Error): void => {
      if (isLooking || isClosed) return
      isLooking = true
      begin(error)
    },
    /** Why every call would be denied, if so. */
    denial: (): Error | undefined => denial,
    close: (): void => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
