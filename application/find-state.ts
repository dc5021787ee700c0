import type { Decider } from '../domain/decider.ts'
import { sizeOfEvents } from '../domain/memory-size.ts'
import { streamOf } from '../domain/stream.ts'
import { noStream, type EventStore, type Position, type Revision } from './event-store.ts'
import { newestFence } from './lease.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { knownStateAfter, unreadState, type Known, type StateCache } from './state-cache.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import { Refusal } from '../domain/refusal.ts'

/** Read in batches, so that other work runs in between. */
export const batchSize = 1_000

/** Events of a stream between two revisions, in batches. */
export async function* historyOf(
  { readStream }: Pick<EventStore, 'readStream'>,
  stream: string,
  from: Revision = 0,
  upTo: Revision = Infinity,
): AsyncGenerator<readonly Recorded[]> {
  for (let next = from; next <= upTo;) {
    const limit = Math.min(batchSize, upTo - next + 1)
    const events = await readStream(stream, next, limit)
    // The store may skip foreign events, so a batch can reach past `upTo`.
    const inRange = events.filter(({ revision }) => revision <= upTo)
    if (inRange.length > 0) yield inRange.map(parseEvent)
    const last = inRange.at(-1)
    if (!last || inRange.length < limit) return
    next = last.revision + 1
  }
}

export const stateAfter = <Event, State>(
  decider: Decider<never, Event, State>,
  events: readonly Recorded[],
  from: State,
): State => {
  let state = from
  for (const event of events) {
    const { position, metadata } = event
    state = decider.evolve(state, event as Event, {
      at: metadata.at,
      position,
      asked: metadata.asked,
    })
  }
  return state
}

/** The state at a log position. */
export const stateAt = async <Event, State>(
  store: Pick<EventStore, 'readStream'>,
  decider: Decider<never, Event, State>,
  stream: string,
  end: Position,
): Promise<State> => {
  let state = decider.initial
  for await (const events of historyOf(store, stream)) {
    const past = events.filter(({ position }) => position <= end)
    state = stateAfter(decider, past, state)
    if (past.length < events.length) break
  }
  return state
}

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

/** Reads the log again if the cached state fails the check. */
export const findRechecked = async <Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<never, Event, State>,
  id: string,
  isWanted: (state: State) => boolean,
): Promise<State> => {
  const cached = await find(aggregate, id)
  return isWanted(cached) ? cached : find(aggregate, id, 'log')
}

/** Removed entries may have been registered again by another process. */
export const isPresent = ({ status }: { readonly status: string }): boolean => status === 'present'

/**
 * Checks that a command would be accepted, without executing it, and returns the state. A cached
 * refusal is verified against the log. @throws Refusal
 */
export const dryRun = async <Command, Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<Command, Event, State>,
  id: string,
  command: Command,
): Promise<State> => {
  const cached = await find(aggregate, id)
  try {
    aggregate.decider.decide(command, cached)
    return cached
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const state = await find(aggregate, id, 'log')
  try {
    aggregate.decider.decide(command, state)
    return state
  } catch (error) {
    if (error instanceof Refusal)
      error.decision = { stream: streamOf(aggregate, id), command: command as object }
    throw error
  }
}
