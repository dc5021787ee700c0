import { AccessDeniedError, CancelledError, TimeoutError } from '@eventstore/db-client'
import { setTimeout as pause } from 'node:timers/promises'
import type { Outage, Position, RecordedEvent } from '../../application/event-store.ts'
import { ignore } from './eventstoredb-calls.ts'
import type { Readable } from './eventstoredb-reads.ts'
import type { Outages } from './eventstoredb-outage.ts'
import { endOf, placeAfter, subscribe, type Arrived } from './eventstoredb-subscription.ts'
import { verdict, type About } from './eventstoredb-verdicts.ts'

const firstPause = 20
/** Other processes may keep accepting revoked credentials for this long. */
const longestPause = 500

/** Delay before retrying after denied access, in ms. */
const pauseAfterDenial = 1_000

/**
 * A node ends a live subscription that is slower than the writers, and cancels all of them when it
 * shuts down; both are resumed at once. If the server is gone, the next attempt fails.
 */
const isOrdinary = (error: unknown, failures: number): boolean =>
  failures === 0 && (error instanceof TimeoutError || error instanceof CancelledError)

const pauseAfter = (error: unknown, failures: number): number => {
  const hasEnded = error === undefined && failures === 0
  if (hasEnded || isOrdinary(error, failures)) return 0
  if (error instanceof AccessDeniedError) return pauseAfterDenial
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10))
}

/** Updates the known end of the log from what a follower received. */
const noteEnd = ({ own, filter, known }: Readable, after: Position) => {
  let newest: Position | undefined
  return (arrived: Arrived): RecordedEvent[] => {
    const events = arrived.events.flatMap((resolved) => {
      const event = own(resolved)
      filter.note(resolved, event !== undefined)
      return event ?? []
    })
    newest = events.at(-1)?.position ?? newest
    // It knows nothing about events before its position.
    if (newest !== undefined || after <= known.looked()) known.note(endOf(arrived), newest)
    return events
  }
}

type Needs = Readable & {
  readonly outages: Outages
  readonly about: About
  readonly outage?: Outage | undefined
}

const unreportedOutage: Outage = { failed: ignore, worked: ignore }

/** All events after a position until the signal aborts, across reconnections. */
export async function* followAll(
  { outages, about, outage = unreportedOutage, ...readable }: Needs,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent[]> {
  const oursIn = noteEnd(readable, after)
  const onConfirmed = (): void => {
    outages.worked()
    outage.worked()
  }
  const place = placeAfter(after)
  for (let failures = 0; !signal.aborted; failures++) {
    const began = performance.now()
    let failure: unknown
    try {
      for await (const arrived of subscribe({ ...readable, signal, onConfirmed }, place.at())) {
        failures = 0
        const events = oursIn(arrived)
        if (events.length > 0) yield events
        place.move(arrived)
        if (signal.aborted) return
      }
    } catch (error) {
      // An inexact position stays so however often it is read.
      if (error instanceof RangeError) throw error
      failure = error
      const decided = verdict(error, about)
      if (!decided && failures > 0) outages.failed(began, error)
      if (!signal.aborted && !isOrdinary(error, failures)) outage.failed(decided ?? error)
    }
    await pause(pauseAfter(failure, failures), undefined, { signal }).catch(ignore)
  }
}
