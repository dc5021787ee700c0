import {
  AccessDeniedError,
  CancelledError,
  excludeSystemEvents,
  START,
  TimeoutError,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  start,
  type Outage,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { ignore, positionOf, type Own } from './eventstoredb-calls.ts'

/** Events kept ready for a follower, and handed out at once, at the most. */
const batchSize = 1_000

const firstPause = 20
/** What is taken away meanwhile may be accepted by other processes for as long. */
const longestPause = 500

/** Access that was denied is seldom granted within seconds, in ms. */
const pauseAfterDenial = 10_000

const toldToNobody: Outage = { failed: ignore, worked: ignore }

/** Everything that has arrived, without waiting for more. */
const takeReady = (subscription: AllStreamSubscription): ResolvedEvent[] => {
  const ready: ResolvedEvent[] = []
  while (ready.length < batchSize) {
    const event: ResolvedEvent | null = subscription.read()
    if (event === null) break
    ready.push(event)
  }
  return ready
}

/** One subscription, until it breaks: then it throws, after all that had arrived was handed out. */
async function* subscribe(
  client: EventStoreDBClient,
  after: Position,
  signal: AbortSignal,
  outage: Outage,
): AsyncGenerator<ResolvedEvent[]> {
  const place = { commit: BigInt(after), prepare: BigInt(after) }
  const subscription = client.subscribeToAll(
    { fromPosition: after === start ? START : place, filter: excludeSystemEvents() },
    { highWaterMark: batchSize },
  )
  subscription.once('confirmation', outage.worked)
  let broken: Error | undefined
  const broke = new AbortController()
  subscription.on('error', (error) => {
    broken ??= error
    broke.abort()
  })
  const either = AbortSignal.any([signal, broke.signal])
  try {
    while (!signal.aborted) {
      const ready = takeReady(subscription)
      if (ready.length > 0) yield ready
      else if (broken) throw broken
      else if (subscription.readableEnded || subscription.destroyed) return
      else await once(subscription, 'readable', { signal: either }).catch(ignore)
    }
  } finally {
    subscription.unsubscribe().catch(ignore)
  }
}

/**
 * A node ends a live subscription that is slower than the writers, and cancels all when it shuts down: that is to be
 * taken up at once. If no server is there then, the next try tells why.
 */
const isOrdinary = (error: unknown, failures: number): boolean =>
  failures === 0 && (error instanceof TimeoutError || error instanceof CancelledError)

const pauseAfter = (error: unknown, failures: number): number => {
  if (isOrdinary(error, failures)) return 0
  if (error instanceof AccessDeniedError) return pauseAfterDenial
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10))
}

/** All events after a position for as long as the signal allows, whatever happens to the connection. */
export async function* followAll(
  client: EventStoreDBClient,
  after: Position,
  signal: AbortSignal,
  own: Own,
  outage = toldToNobody,
): AsyncGenerator<RecordedEvent[]> {
  let last = after
  for (let failures = 0; !signal.aborted; failures++) {
    let failure: unknown
    try {
      for await (const resolved of subscribe(client, last, signal, outage)) {
        failures = 0
        const events = resolved.flatMap((one) => own(one) ?? [])
        const newest = resolved.at(-1)
        if (events.length > 0) yield events
        if (newest) last = positionOf(newest)
        if (signal.aborted) return
      }
    } catch (error) {
      // A position that is no exact number stays one however often it is read.
      if (error instanceof RangeError) throw error
      if (!signal.aborted && !isOrdinary(error, failures)) outage.failed(error)
      failure = error
    }
    await pause(pauseAfter(failure, failures), undefined, { signal }).catch(ignore)
  }
}
