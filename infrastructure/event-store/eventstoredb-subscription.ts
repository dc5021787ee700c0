import {
  START,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { bell } from '../bell.ts'
import { exact, ignore, positionOf } from './eventstoredb-calls.ts'
import type { Filter } from './eventstoredb-filter.ts'

/** Events kept ready for a reader, and handed out at once, at the most. */
const batchSize = 1_000

/** What has arrived: events, and how far the server has looked when they were all. */
export type Arrived = {
  readonly events: readonly ResolvedEvent[]
  readonly looked: Position | undefined
}

/**
 * Where to go on after what has arrived: after its last event, or after the checkpoint before the
 * last one. A node may name the place of the next event as that of a checkpoint.
 */
export const placeAfter = (after: Position) => {
  let place = after
  let checkpoint = start
  return {
    at: (): Position => place,
    move: ({ events, looked }: Arrived): void => {
      const newest = events.at(-1)
      if (newest) place = Math.max(place, positionOf(newest))
      if (looked === undefined) return
      place = Math.max(place, checkpoint)
      checkpoint = looked
    },
  }
}

/** How far the log has been looked at with what has arrived. */
export const endOf = ({ events, looked = start }: Arrived): Position => {
  const newest = events.at(-1)
  return Math.max(looked, newest ? positionOf(newest) : start)
}

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

type Needs = {
  readonly client: EventStoreDBClient
  readonly filter: Filter
  readonly signal: AbortSignal
  readonly onConfirmed?: () => void
}

/**
 * The log after a position, until the subscription breaks: then it throws, after all that had
 * arrived was handed out. It ends when the filter has learned more, to be opened anew.
 */
export async function* subscribe(
  { client, filter, signal, onConfirmed = ignore }: Needs,
  after: Position,
): AsyncGenerator<Arrived> {
  const { ring, heard } = bell()
  let checkpoint: Position | undefined
  let broken: Error | undefined
  const version = filter.version()
  const place = { commit: BigInt(after), prepare: BigInt(after) }
  const subscription = client.subscribeToAll(
    {
      fromPosition: after === start ? START : place,
      filter: filter.forServer((position) => {
        checkpoint = exact(position)
        ring()
      }),
    },
    { highWaterMark: batchSize },
  )
  subscription.once('confirmation', onConfirmed)
  subscription.on('error', (error) => {
    broken ??= error
    ring()
  })
  for (const event of ['readable', 'end', 'close']) subscription.on(event, ring)
  signal.addEventListener('abort', ring)
  try {
    while (!signal.aborted) {
      const events = takeReady(subscription)
      // What came before a checkpoint has been taken when nothing is left.
      const looked = events.length < batchSize ? checkpoint : undefined
      if (looked !== undefined) checkpoint = undefined
      if (events.length > 0 || looked !== undefined) yield { events, looked }
      else if (broken) throw broken
      else if (subscription.readableEnded || subscription.destroyed) return
      else if (filter.version() !== version) return
      else await heard()
    }
  } finally {
    signal.removeEventListener('abort', ring)
    subscription.unsubscribe().catch(ignore)
  }
}
