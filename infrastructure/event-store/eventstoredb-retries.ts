import { convertToCommandError } from '@eventstore/db-client'
import { StoreUnavailable } from '../../application/event-store.ts'
import { ignore, textOf, verdict, type About } from './eventstoredb-calls.ts'
import type { Outages } from './eventstoredb-outage.ts'
import { pause, steadyTime } from '../../application/machine.ts'

export type Timeouts = {
  /** Timeout of one attempt, in ms. */
  readonly attempt: number
  /** Timeout of all attempts together, in ms. */
  readonly altogether: number
  /** How long calls may fail until the server counts as unavailable, in ms. */
  readonly election: number
  /** How long calls go on after the service was told to stop, in ms. */
  readonly ending: number
}

const firstPause = 20

const longestPause = 500

export type Ask<Answer> = (timeout: number) => Promise<Answer>

/** Makes a call, with retries; the call gets its timeout in ms. */
export type WithRetries = <Answer>(
  about: About,
  call: Ask<Answer>,
  failed?: (error: unknown) => void,
) => Promise<Answer>

type Needs = { readonly timeouts: Timeouts; readonly outages: Outages; readonly about: About }

/**
 * Retries a call until it succeeds. The call must be safe to repeat and keep to its timeout.
 * @throws the server's decision, or StoreUnavailable on timeout
 */
export const withRetries = async <Answer>(
  { timeouts, outages, about }: Needs,
  call: Ask<Answer>,
  failed: (error: unknown) => void = ignore,
): Promise<Answer> => {
  const end = steadyTime() + timeouts.altogether
  const unavailable = (cause: unknown): StoreUnavailable => {
    const text = cause instanceof Error ? cause.message : String(cause)
    // The transport ends its messages with a note that is mostly empty.
    const message = text.replace(/\.? *Resolution note: *$/, '')
    return new StoreUnavailable(`${textOf(about)} failed: ${message}`, { cause })
  }
  let cause: unknown
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    const away = outages.away()
    if (away) throw unavailable(away.cause)
    const began = steadyTime()
    const rest = Math.max(1, Math.min(end - began, outages.rest()))
    const timeout = Math.min(timeouts.attempt, rest)
    try {
      const answer = await call(timeout)
      outages.worked()
      return answer
    } catch (thrown) {
      // The first call after a lost connection fails with a plain Error, not one of the client's
      // own classes.
      const error = thrown instanceof Error ? convertToCommandError(thrown) : thrown
      const decided = verdict(error, about)
      if (decided) {
        outages.worked()
        throw decided
      }
      outages.failed(began, error)
      failed(error)
      // A timeout of the remaining time says less than the earlier failure.
      const isCutShort = error instanceof StoreUnavailable && timeout < timeouts.attempt
      if (cause === undefined || !isCutShort) cause = error
      if (steadyTime() + wait >= end) throw unavailable(cause)
    }
    await pause(wait)
  }
}
