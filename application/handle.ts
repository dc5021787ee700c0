import { fold, type Decider } from '../domain/decider.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { sizeOfEvents } from '../domain/rough-size.ts'
import { streamOf } from '../domain/stream.ts'
import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Revision,
} from './event-store.ts'
import { historyOf, stateAfter, stateAt } from './history.ts'
import { usualRoom, type Room } from './recent.ts'
import { isOld, knownAfter, nothingOf, rememberStates, type Known } from './remembered-states.ts'
import type { Soon } from './soon.ts'

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

/** What a command led to: the state after it, and the events that it made (none when it was a repeat). */
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
  /** Called with an event that was appended alone, as it now stands in the log, and its rough size in bytes. */
  readonly onAppended?: (event: RecordedEvent, size: number) => void
  /** For the states of aggregates in memory. */
  readonly room?: Room
}

/**
 * Which state of an aggregate is asked for: as this process remembers it, which lags behind other processes for a
 * moment, as it stands in the log, or as it stood there at a position.
 */
export type AsOf = 'memory' | 'log' | Position

/** With a fresh state, an attempt fails only because another writer's append succeeded: many in a row on a busy stream. */
const maximumAttempts = 100

/**
 * The one way in which anything changes: load, decide, append; decide again when another writer was first.
 * Commands to one aggregate run one after another in this process; other processes are met with expected revisions.
 */
export const makeHandler = ({ store, eventId, commandId, onAppended, room = usualRoom }: Needs) => {
  const memory = rememberStates(room)
  const turns = new Map<string, Promise<unknown>>()

  const catchUp = async <Event, State>(
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
    const caughtUp = knownAfter(known, size, { revision, state })
    if (caughtUp.revision !== noStream) memory.remember(stream, caughtUp)
    return caughtUp
  }

  const newEvents = (
    stream: string,
    revision: Revision,
    events: readonly DecidedEvent[],
    command: string,
    { at, merchant, actor, correlationId, causationId = null }: Context,
  ): NewEvent[] =>
    events.map(({ type, data }, index) => ({
      id: eventId(stream, revision + 1 + index, command),
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

  const run = async <Command, Event extends DecidedEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
    command: Command,
    context: Context,
  ): Promise<Handled<Event, State>> => {
    const nameOfCommand = commandId()
    const before = memory.find(stream)
    // A stream that is not remembered is most often new: the append, or a "no", tells when it is not.
    let known: Known = before ?? nothingOf(decider)
    let isFresh = before !== undefined && isOld(before)
    if (isFresh) known = await catchUp(decider, stream, known)
    for (let attempt = 1; ; attempt++) {
      try {
        const state = known.state as State
        const events = decider.decide(command, state)
        if (events.length > 0) {
          const recorded = newEvents(stream, known.revision, events, nameOfCommand, context)
          const { revision, position } = await store.append(stream, recorded, known.revision)
          const after = fold(decider, events, state)
          const size = sizeOfEvents(events)
          memory.remember(stream, knownAfter(known, size, { revision, state: after }))
          const [alone, further] = recorded
          // Of several, the positions of the earlier ones are not told.
          if (alone && !further) {
            const { id, type, data, metadata } = alone
            onAppended?.({ stream, revision, position, id, type, data, metadata }, size)
          }
          return { state: after, events }
        }
        if (isFresh) return { state, events }
      } catch (error) {
        const isOutdated = error instanceof WrongExpectedRevision
        if (!isOutdated && !(error instanceof Refusal)) throw error
        if (!isOutdated && isFresh) throw error
        if (attempt === maximumAttempts) return refuse('conflicting_changes')
      }
      // A "no" from memory counts only when no other process has written since.
      known = await catchUp(decider, stream, known)
      isFresh = true
    }
  }

  const handle: Handle = (aggregate, id, command, context) => {
    const stream = streamOf(aggregate, id)
    const work = () => run(aggregate.decider, stream, command, context)
    /** The store's patience has just ended: that of each in a row would be many times as long. */
    const afterFailure = (error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      return work()
    }
    const previous = turns.get(stream)
    const turn = previous ? previous.then(work, afterFailure) : work()
    turns.set(stream, turn)
    const leave = () => {
      if (turns.get(stream) === turn) turns.delete(stream)
    }
    turn.then(leave, leave)
    return turn
  }

  /** The state of an aggregate as this process remembers it; undefined when it does not, or knows that it is old. */
  const recall = <Event extends DecidedEvent, State>(
    aggregate: Aggregate<never, Event, State>,
    id: string,
  ): State | undefined => {
    const stream = streamOf(aggregate, id)
    return memory.findCurrent(stream)?.state as State | undefined
  }

  const readNow = async <Event, State>(
    decider: Decider<never, Event, State>,
    stream: string,
  ): Promise<State> => {
    const before = memory.find(stream) ?? nothingOf(decider)
    return (await catchUp(decider, stream, before)).state as State
  }

  /** The state of an aggregate, without changing it. */
  const find = <Event extends DecidedEvent, State>(
    { category, decider }: Aggregate<never, Event, State>,
    id: string,
    asOf: AsOf = 'memory',
  ): Soon<State> => {
    const stream = streamOf({ category }, id)
    if (typeof asOf === 'number') return stateAt(store, decider, stream, asOf)
    const known = asOf === 'memory' ? memory.findCurrent(stream) : undefined
    return known ? (known.state as State) : readNow(decider, stream)
  }

  return { handle, find, recall, notice: memory.notice }
}

export type Find = ReturnType<typeof makeHandler>['find']
export type Recall = ReturnType<typeof makeHandler>['recall']
