import { START, type AllStreamSubscription, type ResolvedEvent } from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { autoResetEvent } from '../auto-reset-event.ts'
import { exact, ignore, positionOf } from './eventstoredb-calls.ts'
import type { Filter } from './eventstoredb-read-calls.ts'
import type { CurrentClient } from './eventstoredb-connection.ts'

/** Maximum number of events buffered for a reader, and per batch. */
const batchSize = 1_000

/** Received events, and how far the server has scanned if these were all. */
export type Arrived = {
  readonly events: readonly ResolvedEvent[]
  readonly looked: Position | undefined
}

/**
 * Where to resume: after the last received event, or after the second-last checkpoint, because a
 * node may report the next event's position as the checkpoint.
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

/** How far the log was read with what was received. */
export const endOf = ({ events, looked = start }: Arrived): Position => {
  const newest = events.at(-1)
  return Math.max(looked, newest ? positionOf(newest) : start)
}

/** Everything received, without waiting for more. */
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
  readonly client: CurrentClient
  readonly filter: Filter
  readonly signal: AbortSignal
  readonly onConfirmed?: () => void
}

/**
 * The log after a position until the subscription breaks; then throws, after returning everything
 * received. Ends when the filter has changed, to be resubscribed.
 */
export async function* subscribe(
  { client, filter, signal, onConfirmed = ignore }: Needs,
  after: Position,
): AsyncGenerator<Arrived> {
  const { set, wait } = autoResetEvent()
  let checkpoint: Position | undefined
  let broken: Error | undefined
  const version = filter.version()
  const place = { commit: BigInt(after), prepare: BigInt(after) }
  const subscription = (await client()).subscribeToAll(
    {
      fromPosition: after === start ? START : place,
      filter: filter.forServer((position) => {
        checkpoint = exact(position)
        set()
      }),
    },
    { highWaterMark: batchSize },
  )
  subscription.once('confirmation', onConfirmed)
  subscription.on('error', (error) => {
    broken ??= error
    set()
  })
  for (const event of ['readable', 'end', 'close']) subscription.on(event, set)
  signal.addEventListener('abort', set)
  try {
    while (!signal.aborted) {
      const events = takeReady(subscription)
      // Events before a checkpoint have been taken when the buffer is empty.
      const looked = events.length < batchSize ? checkpoint : undefined
      if (looked !== undefined) checkpoint = undefined
      if (events.length > 0 || looked !== undefined) yield { events, looked }
      else if (broken) throw broken
      else if (subscription.readableEnded || subscription.destroyed) return
      else if (filter.version() !== version) return
      else await wait()
    }
  } finally {
    signal.removeEventListener('abort', set)
    subscription.unsubscribe().catch(ignore)
  }
}
