import { fold, type SigningTime, type Decider } from '../domain/decider.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { sizeOfEvents } from '../domain/memory-size.ts'
import { secondsAfter, type Instant } from '../domain/time.ts'
import { streamOf } from '../domain/stream.ts'
import {
  start,
  WrongExpectedRevision,
  type EventStore,
  type Position,
  type Revision,
} from './event-store.ts'
import {
  makeCatchUp,
  makeFind,
  type Find,
  type Aggregate,
  type CatchUp,
  type DecidedEvent,
} from './find-state.ts'
import { defaultCacheLimits, type CacheLimits } from './generational-cache.ts'
import { newEvents, type EventId, type Origin } from './new-events.ts'
import { isFenced, LeaseLost, type Lease } from './lease.ts'
import { makeSerialByKey } from './serial-by-key.ts'
import { startSpanWithin } from './tracing.ts'
import {
  isStale,
  knownStateAfter,
  makeStateCache,
  unreadState,
  type Known,
  type StateCache,
} from './state-cache.ts'

export type Context = Origin

/** What a request says of itself. */
export type Caused = Pick<Context, 'at' | 'correlationId' | 'traceparent'>

/** Empty for a repeated command. */
type Handled<Event, State> = { readonly state: State; readonly events: readonly Event[] }

export type Handle = <Command, Event extends DecidedEvent, State>(
  aggregate: Aggregate<Command, Event, State>,
  id: string,
  command: Command,
  context: Context,
) => Promise<Handled<Event, State>>

/** What a use case decides with. */
export type Deciding = { readonly handle: Handle; readonly find: Find }

export type OnAppended = (stream: string, events: readonly DecidedEvent[], context: Context) => void

type Needs = {
  readonly store: EventStore
  readonly eventId: EventId
  readonly commandId: () => string
  /** The clock that request signatures use. */
  readonly machineNow?: () => Instant
  readonly cacheLimits?: CacheLimits
  /** `observe` is called with all later events. */
  readonly from?: Position
  /** Called with what this process appends. */
  readonly onAppended?: OnAppended
}

/** Attaches the decision to a refusal. */
const decided = (
  refusal: Refusal,
  stream: string,
  { revision }: Known,
  command: unknown,
  { at, merchant, actor, asked }: Context,
): Refusal => {
  const context = { at, merchant, actor }
  refusal.decision = { stream, revision, command: command as object, asked, context }
  return refusal
}

/** Decides, in a span of the trace if that is recorded. */
const decideTraced = <Command, Event extends DecidedEvent, State>(
  { decide }: Decider<Command, Event, State>,
  stream: string,
  command: Command,
  state: State,
  { traceparent, asked }: Context,
): readonly Event[] => {
  const span = startSpanWithin(traceparent, () => {
    const { type } = command as { readonly type: string }
    const attributes = { 'daybook.command': type, 'daybook.stream': stream }
    return { name: `decide ${type}`, kind: 'internal', attributes }
  })
  if (!span) return decide(command, state, asked)
  try {
    return decide(command, state, asked)
  } finally {
    span.end()
  }
}

/** Each attempt fails only if another writer succeeded. */
const maximumAttempts = 100

/** Checked last: if the node freezes after it, its revision is outdated and the append fails. */
const mayAppend = ({ fence }: Known, lease: Lease): boolean =>
  lease.isHeld() && !isFenced(fence, lease)

const makeAppend =
  (needs: Needs, cache: StateCache) =>
  async <Event extends DecidedEvent, State>(
    decider: Decider<never, Event, State>,
    stream: string,
    known: Known,
    events: readonly Event[],
    commandId: string,
    context: Context,
  ): Promise<State> => {
    const recorded = newEvents(needs.eventId, stream, known.revision, events, commandId, context)
    if (context.lease && !mayAppend(known, context.lease)) throw new LeaseLost(context.lease)
    const { urgency } = context
    const appended = await needs.store.append(stream, recorded, known.revision, urgency)
    const { revision, position } = appended
    const state = fold(decider, events, known.state as State, {
      at: context.at,
      position,
      asked: context.asked,
    })
    const fence = context.lease ?? known.fence
    cache.remember(stream, knownStateAfter(known, sizeOfEvents(events), { revision, state, fence }))
    cache.appended(position, events.length)
    needs.onAppended?.(stream, events, context)
    return state
  }

/** Loads, decides and appends; decides again if another writer was first. */
const makeRun = (needs: Needs, cache: StateCache, catchUp: CatchUp) => {
  const append = makeAppend(needs, cache)
  return async <Command, Event extends DecidedEvent, State>(
    decider: Decider<Command, Event, State>,
    stream: string,
    command: Command,
    context: Context,
  ): Promise<Handled<Event, State>> => {
    const commandId = needs.commandId()
    const before = cache.find(stream)
    // Unknown streams are usually new; if not, the append or a refusal shows it.
    let known: Known = before ?? unreadState(decider)
    let isFresh = before !== undefined && isStale(before)
    if (isFresh) known = await catchUp(decider, stream, known)
    for (let attempt = 1; ; attempt++) {
      try {
        const state = known.state as State
        const events = decideTraced(decider, stream, command, state, context)
        if (events.length > 0) {
          const after = await append(decider, stream, known, events, commandId, context)
          return { state: after, events }
        }
        if (isFresh) return { state, events }
      } catch (error) {
        const isOutdated = error instanceof WrongExpectedRevision
        if (!isOutdated && !(error instanceof Refusal)) throw error
        if (!isOutdated && isFresh) throw decided(error, stream, known, command, context)
        if (attempt === maximumAttempts) return refuse('conflicting_changes')
      }
      // A refusal from the cache counts only after the log was read.
      known = await catchUp(decider, stream, known)
      isFresh = true
    }
  }
}

const unsigned = (machineNow: (() => Instant) | undefined): SigningTime | undefined =>
  machineNow && { at: secondsAfter(machineNow(), 0), signature: null }

/** The only way to change state. Commands to one aggregate run in sequence in this process. */
export const makeHandler = (needs: Needs) => {
  const { store, cacheLimits = defaultCacheLimits, from = start, machineNow } = needs
  const cache = makeStateCache({ store, cacheLimits, from })
  const catchUp = makeCatchUp(store, cache)
  const run = makeRun(needs, cache, catchUp)
  const inOrder = makeSerialByKey()

  const handle: Handle = (aggregate, id, command, context) => {
    const stream = streamOf(aggregate, id)
    const { decider, isOrdered } = aggregate
    const asked = isOrdered ? (context.asked ?? unsigned(machineNow)) : undefined
    const withSigning = asked || context.asked ? { ...context, asked } : context
    return inOrder(stream, () => run(decider, stream, command, withSigning))
  }

  /** The cached state; undefined if unknown or stale. */
  const recall = <Event extends DecidedEvent, State>(
    aggregate: Aggregate<never, Event, State>,
    id: string,
  ): State | undefined => cache.findCurrent(streamOf(aggregate, id))?.state as State | undefined

  /** The revision of a stream as far as this process knows. */
  const revisionOf = (stream: string): Revision | undefined => cache.find(stream)?.revision

  const find = makeFind(store, cache, catchUp)
  return { handle, find, recall, revisionOf, observe: cache.observe }
}

export type Recall = ReturnType<typeof makeHandler>['recall']
