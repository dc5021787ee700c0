import { fold, type Decider } from '../domain/decider.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { sizeOfEvents } from '../domain/memory-size.ts'
import { streamOf } from '../domain/stream.ts'
import {
  noStream,
  start,
  WrongExpectedRevision,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
} from './event-store.ts'
import { historyOf, stateAfter, stateAt } from './history.ts'
import { defaultCacheLimits, type CacheLimits } from './generational-cache.ts'
import { makeSerialByKey } from './serial-by-key.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { isStale, knownStateAfter, makeStateCache, unreadState, type Known } from './state-cache.ts'

/** Who commands, when and why. */
export type Context = {
  readonly at: number
  readonly merchant: string | null
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string | null
}

export type DecidedEvent = { readonly type: string; readonly data: object }

/** A decider and the category of its streams: the stream of an aggregate is `<category>-<id>`. */
export type Aggregate<Command, Event extends DecidedEvent, State> = {
  readonly category: string
  readonly decider: Decider<Command, Event, State>
}

/** What a command led to: the state after it, and its events (none when it was a repeat). */
type Handled<Event, State> = { readonly state: State; readonly events: readonly Event[] }

export type Handle = <Command, Event extends DecidedEvent, State>(
  aggregate: Aggregate<Command, Event, State>,
  id: string,
  command: Command,
  context: Context,
) => Promise<Handled<Event, State>>

type Needs = {
  readonly store: EventStore
  /** An id that is equal for equal arguments and for no others (UUIDv5). */
  readonly eventId: (stream: string, revision: Revision, commandId: string) => string
  readonly commandId: () => string
  /** For the states of aggregates in memory. */
  readonly cacheLimits?: CacheLimits
  /** `observe` is called with all events after this position. */
  readonly from?: Position
}

/**
 * Which state of an aggregate is asked for: as this process remembers it, which lags behind other processes for a
 * moment, as it stands in the log, or as it stood there at a position.
 */
export type AsOf = 'memory' | 'log' | Position

/** With a fresh state, an attempt fails only because another writer's append succeeded. */
const maximumAttempts = 100

const newEvents = (
  { eventId }: Pick<Needs, 'eventId'>,
  stream: string,
  revision: Revision,
  events: readonly DecidedEvent[],
  commandId: string,
  { at, merchant, actor, correlationId, causationId = null }: Context,
): NewEvent[] =>
  events.map(({ type, data }, index) => ({
    id: eventId(stream, revision + 1 + index, commandId),
    type,
    data: data as NewEvent['data'],
    metadata: {
      at,
      merchant,
      actor,
      correlationId,
      causationId,
      schema: schemaVersion(type as EventType),
    },
  }))

/** The state of an aggregate, with all that its stream holds beyond what is known. */
const makeCatchUp =
  (store: EventStore, memory: ReturnType<typeof makeStateCache>) =>
  async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
    known: Known,
  ): Promise<Known> => {
    let { revision } = known
    let state = known.state as State
    let size = 0
    for await (const events of historyOf(store, stream, revision + 1)) {
      revision = events.at(-1)?.revision ?? revision
      state = stateAfter(decider, events, state)
      size += sizeOfEvents(events)
    }
    const caughtUp = knownStateAfter(known, size, { revision, state })
    if (caughtUp.revision !== noStream) memory.remember(stream, caughtUp)
    return caughtUp
  }

/** Reads the states of aggregates, from memory where that will do. */
const makeFind = (
  store: EventStore,
  memory: ReturnType<typeof makeStateCache>,
  catchUp: ReturnType<typeof makeCatchUp>,
) => {
  const readNow = async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
  ): Promise<State> => {
    const known = memory.find(stream) ?? unreadState(decider)
    return (await catchUp(decider, stream, known)).state as State
  }

  const findAtHead = async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
  ): Promise<State> => {
    const known = await memory.findAtHead(stream)
    return known ? (known.state as State) : readNow(decider, stream)
  }

  /** The state of an aggregate, without changing it. */
  return <Event extends DecidedEvent, State>(
    { category, decider }: Aggregate<never, Event, State>,
    id: string,
    asOf: AsOf = 'memory',
  ): MaybePromise<State> => {
    const stream = streamOf({ category }, id)
    if (typeof asOf === 'number') return stateAt(store, decider, stream, asOf)
    if (asOf === 'log') return findAtHead(decider, stream)
    const known = memory.findCurrent(stream)
    return known ? (known.state as State) : readNow(decider, stream)
  }
}

/**
 * The one way in which anything changes: load, decide, append; decide again when another writer was first.
 * Commands to one aggregate run one after another in this process; other processes are met with expected revisions.
 */
export const makeHandler = (needs: Needs) => {
  const { store, commandId, cacheLimits = defaultCacheLimits, from = start } = needs
  const memory = makeStateCache({ store, cacheLimits, from })
  const catchUp = makeCatchUp(store, memory)
  const inTurn = makeSerialByKey()

  const append = async <Event extends DecidedEvent, State>(
    decider: Decider<never, Event, State>,
    stream: string,
    known: Known,
    events: readonly Event[],
    command: string,
    context: Context,
  ): Promise<State> => {
    const recorded = newEvents(needs, stream, known.revision, events, command, context)
    const { revision, position } = await store.append(stream, recorded, known.revision)
    const state = fold(decider, events, known.state as State, { at: context.at, position })
    memory.remember(stream, knownStateAfter(known, sizeOfEvents(events), { revision, state }))
    memory.appended(position, events.length)
    return state
  }

  const run = async <Command, Event extends DecidedEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
    command: Command,
    context: Context,
  ): Promise<Handled<Event, State>> => {
    const nameOfCommand = commandId()
    const before = memory.find(stream)
    // A stream that is not remembered is most often new: the append, or a refusal, tells when it is not.
    let known: Known = before ?? unreadState(decider)
    let isFresh = before !== undefined && isStale(before)
    if (isFresh) known = await catchUp(decider, stream, known)
    for (let attempt = 1; ; attempt++) {
      try {
        const state = known.state as State
        const events = decider.decide(command, state)
        if (events.length > 0)
          return {
            state: await append(decider, stream, known, events, nameOfCommand, context),
            events,
          }
        if (isFresh) return { state, events }
      } catch (error) {
        const isOutdated = error instanceof WrongExpectedRevision
        if (!isOutdated && !(error instanceof Refusal)) throw error
        if (!isOutdated && isFresh) throw error
        if (attempt === maximumAttempts) return refuse('conflicting_changes')
      }
      // A refusal from memory counts only when no other process has written since.
      known = await catchUp(decider, stream, known)
      isFresh = true
    }
  }

  const handle: Handle = (aggregate, id, command, context) => {
    const stream = streamOf(aggregate, id)
    return inTurn(stream, () => run(aggregate.decider, stream, command, context))
  }

  /** The state of an aggregate as this process remembers it; undefined when it does not, or knows that it is old. */
  const recall = <Event extends DecidedEvent, State>(
    aggregate: Aggregate<never, Event, State>,
    id: string,
  ): State | undefined => memory.findCurrent(streamOf(aggregate, id))?.state as State | undefined

  return { handle, find: makeFind(store, memory, catchUp), recall, observe: memory.observe }
}

export type Find = ReturnType<typeof makeHandler>['find']
export type Recall = ReturnType<typeof makeHandler>['recall']
