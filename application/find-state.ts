import type { Decider } from '../domain/decider.ts'
import { sizeOfEvents } from '../domain/memory-size.ts'
import { streamOf } from '../domain/stream.ts'
import { noStream, type EventStore, type Position } from './event-store.ts'
import { historyOf, stateAfter, stateAt } from './history.ts'
import { newestFence } from './lease.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { knownStateAfter, unreadState, type Known, type StateCache } from './state-cache.ts'

export type DecidedEvent = { readonly type: string; readonly data: object }

/** Streams are named `<category>-<id>`. */
export type Aggregate<Command, Event extends DecidedEvent, State> = {
  readonly category: string
  readonly decider: Decider<Command, Event, State>
  /** Whether signed changes apply once and in order. */
  readonly isOrdered?: true
}

/**
 * `memory` may lag behind other processes; `log` is current; a position is a moment in the past.
 */
export type AsOf = 'memory' | 'log' | Position

/** Reads events newer than the known state. */
export const makeCatchUp =
  (store: EventStore, cache: StateCache) =>
  async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
    known: Known,
  ): Promise<Known> => {
    let { revision } = known
    let state = known.state as State
    let { fence } = known
    let size = 0
    for await (const events of historyOf(store, stream, revision + 1)) {
      revision = events.at(-1)?.revision ?? revision
      state = stateAfter(decider, events, state)
      fence = newestFence(fence, events)
      size += sizeOfEvents(events)
    }
    const caughtUp = knownStateAfter(known, size, { revision, state, fence })
    if (caughtUp.revision !== noStream) cache.remember(stream, caughtUp)
    return caughtUp
  }

export type CatchUp = ReturnType<typeof makeCatchUp>

export const makeFind = (store: EventStore, cache: StateCache, catchUp: CatchUp) => {
  const readNow = async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
  ): Promise<State> => {
    const known = cache.find(stream) ?? unreadState(decider)
    return (await catchUp(decider, stream, known)).state as State
  }

  const findAtHead = async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
  ): Promise<State> => {
    // A state that is not cached is read at once, without asking for the log's head.
    const known = cache.findCurrent(stream) && (await cache.findAtHead(stream))
    return known ? (known.state as State) : readNow(decider, stream)
  }

  return <Event extends DecidedEvent, State>(
    { category, decider }: Aggregate<never, Event, State>,
    id: string,
    asOf: AsOf = 'memory',
  ): MaybePromise<State> => {
    const stream = streamOf({ category }, id)
    if (typeof asOf === 'number') return stateAt(store, decider, stream, asOf)
    if (asOf === 'log') return findAtHead(decider, stream)
    const known = cache.findCurrent(stream)
    return known ? (known.state as State) : readNow(decider, stream)
  }
}

export type Find = ReturnType<typeof makeFind>
