import {
  type EventStore,
  DamagedEvent,
  noStream,
  type RecordedEvent,
} from '../../application/event-store.ts'
import type { Facts } from '../rules/causes.ts'
import { streamOfSubject } from '../../domain/callback-names.ts'
import { decideAgain, type Judged, type Judge } from '../rules/decide-again.ts'
import { factBook } from '../rules/fact-book.ts'
import { type Recorded, parseEvent, UnreadableEvent } from '../../domain/events.ts'
import type { Permissions } from '../../domain/people/grant.ts'
import { hasEndedUnpaid, type Payment } from '../../domain/payment/payment-state.ts'
import { categoryOf, idIn, merchantAndIdIn, streamOf } from '../../domain/stream.ts'
import { announcedBy } from '../../projections/gathered-messages.ts'
import { deriveIds, makeDigest } from '../../infrastructure/event-store/event-entry.ts'
import { lineBook, lineOf } from './line-book.ts'
import type { Check, Problems } from './problems.ts'
import { sizedCache } from '../../application/generational-cache.ts'
import type { MaybePromise } from '../../application/maybe-promise.ts'
import * as aggregates from '../../domain/aggregates.ts'
import { causes } from '../rules/aggregate-causes.ts'
import { memorySize } from '../../domain/memory-size.ts'

/** The state of a stream before its next event. */
export type StreamState = {
  readonly revision: number
  readonly state: unknown
  /** Estimated bytes. */
  readonly size: number
}

/** Cache limits for states of recently changed streams; others are read again. */
export const kept = { streams: 10_000, bytes: 12_582_912 }

export const judges: ReadonlyMap<string, Judge> = new Map(
  Object.entries(aggregates).map(([name, { category, decider }]) => [
    category,
    { decider, causes: causes[name as keyof typeof aggregates] } as Judge,
  ]),
)

/** Undefined if the stream belongs to no aggregate. */
export const judgeOf = (stream: string): Judge | undefined => judges.get(categoryOf(stream))

/** The stream cannot be followed: an event is missing, damaged or out of place. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'
}

export const evolved = ({ decider }: Judge, before: StreamState, event: Recorded): StreamState => {
  const { revision, position, metadata, type, data } = event
  const { at, asked } = metadata
  const state = decider.evolve(before.state, { type, data }, { at, position, asked })
  return { revision, state, size: before.size + memorySize(data) }
}

export const parsed = (events: readonly RecordedEvent[]): readonly Recorded[] => {
  try {
    return events.map(parseEvent)
  } catch (error) {
    if (error instanceof UnreadableEvent) throw new BrokenStream(error.message)
    throw error
  }
}

type Reads = Pick<EventStore, 'readStream'>

/** @throws BrokenStream where an event is damaged */
const readIn = (store: Reads, ...which: Parameters<Reads['readStream']>) =>
  store.readStream(...which).catch((error: unknown) => {
    throw error instanceof DamagedEvent ? new BrokenStream(error.message) : error
  })

/**
 * States of streams during a pass through the log, in bounded memory. `evolve` may replace an event
 * by another, to show what would have happened.
 */
export const streamStates = (store: Reads, evolve = evolved) => {
  const cache = sizedCache<string, StreamState>(kept)

  const readAgain = async (judge: Judge, event: Recorded): Promise<StreamState> => {
    const { stream, revision, position } = event
    const events = await readIn(store, stream, 0, revision)
    const isWhole = events.every((one, index) => one.revision === index && one.position < position)
    if (events.length !== revision || !isWhole)
      throw new BrokenStream(`it has revision ${revision}, and not all before it come before it`)
    let known: StreamState = { revision: noStream, state: judge.decider.initial, size: 0 }
    for (const one of parsed(events)) known = evolve(judge, known, one)
    return known
  }

  return {
    /** @throws BrokenStream */
    before: (judge: Judge, event: Recorded): MaybePromise<StreamState> => {
      const { stream, revision } = event
      const known = cache.get(stream)
      if (known && known.revision + 1 !== revision)
        throw new BrokenStream(`it has revision ${revision}, and ${known.revision + 1} comes next`)
      if (known) return known
      if (revision === 0) return { revision: noStream, state: judge.decider.initial, size: 0 }
      return readAgain(judge, event)
    },
    remember: (stream: string, known: StreamState): void => cache.set(stream, known),
    forget: (stream: string): void => cache.delete(stream),
  }
}

type Announced = ReturnType<Facts['announcedBy']>

/** What another stream says that is needed to judge an event. */
type Looked = {
  readonly announced?: Announced
  readonly granted?: Permissions | null
  readonly endedUnpaid?: boolean
}

const checkOf = (stream: string): Check => {
  switch (categoryOf(stream)) {
    case 'ledger':
    case 'settlement':
    case 'series':
    case 'correction':
      return 'books'
    case 'callback':
    case 'destination':
      return 'callbacks'
    default:
      return 'rules'
  }
}

/** Derives request ids with the key in the log's first event. */
const derivedIds = () => {
  type Ids = Pick<Facts, 'tidOf' | 'ridOf'>
  let ids: Ids = { tidOf: () => '', ridOf: () => '' }
  const facts: Ids = {
    tidOf: (...own) => ids.tidOf(...own),
    ridOf: (...own) => ids.ridOf(...own),
  }
  return {
    read: ({ type, data }: Recorded): void => {
      if (type !== 'InstallationMade') return
      const digest = makeDigest(data.key)
      ids = { tidOf: deriveIds(digest, data.ids, 'tid'), ridOf: deriveIds(digest, data.ids, 'rid') }
    },
    facts,
  }
}

const permissionsIn = (state: unknown): Permissions | null =>
  (state as { readonly permissions?: Permissions | null }).permissions ?? null

/** The merchant whose books an event changes; undefined if none. */
const ownerOf = ({ stream }: Recorded, state: unknown): string | undefined => {
  const id = idIn(stream)
  switch (categoryOf(stream)) {
    case 'payment':
    case 'permission':
      return (state as { readonly request?: { readonly merchant: string } }).request?.merchant
    case 'correction':
      return (state as { readonly merchant?: string }).merchant
    case 'ledger':
      return merchantAndIdIn(id)[0]
    case 'settlement':
    case 'fees':
      return id
    default:
      return undefined
  }
}

/** Reads what a few events need from other streams. */
const lookUp = (store: Reads) => {
  const announcedIn = async (
    subject: string,
    revision: number,
    before: number,
  ): Promise<Announced> => {
    const [found] = await readIn(store, streamOfSubject(subject), revision, 1)
    if (found?.revision !== revision || found.position > before) return undefined
    const [event] = parsed([found])
    const announced = event && announcedBy(event, subject)
    return announced && { ...announced, position: event.position, at: event.metadata.at }
  }
  const stateOf = async (stream: string, before: number): Promise<unknown> => {
    const judge = judgeOf(stream)
    if (!judge) return {}
    let state: StreamState = { revision: -1, state: judge.decider.initial, size: 0 }
    for (const event of parsed(await readIn(store, stream)))
      if (event.position < before) state = evolved(judge, state, event)
    return state.state
  }
  return (event: Recorded): Promise<Looked> | undefined => {
    const { type, data, stream, position } = event
    if (type === 'CallbackAttempted' || type === 'CallbackRetryRequested')
      return announcedIn(data.subject, data.revision, position).then((announced) => ({ announced }))
    if (type === 'GrantRefreshed')
      return stateOf(idIn(stream), position).then((state) => ({ granted: permissionsIn(state) }))
    if (type === 'OfferGivenBack')
      return stateOf(streamOf(aggregates.payments, data.tid), position).then((state) => ({
        endedUnpaid: hasEndedUnpaid(state as Payment),
      }))
    return undefined
  }
}

type Needs = {
  readonly store: Reads
  readonly problems: Problems
}

/**
 * Processes the events of all streams in log order, and decides each one again. Events recorded at
 * one moment are passed together.
 * Long because the steps share the states, the facts and the lines.
 */
export const judgeStreams = ({ store, problems }: Needs) => {
  const states = streamStates(store)
  const book = factBook()
  const lines = lineBook()
  const ids = derivedIds()
  const look = lookUp(store)
  /** Streams with a problem: consequences of it are not reported again. */
  const spoiled = new Set<string>()

  const spoil = (event: Recorded, check: Check, problem: string): void => {
    spoiled.add(event.stream)
    problems.at(event, check, problem)
  }

  let looked: Looked = {}
  const facts: Facts = {
    ...book.factsAt(0),
    ...lines.facts,
    ...ids.facts,
    announcedBy: () => looked.announced,
    grantedBy: () => looked.granted ?? null,
    endedUnpaid: () => looked.endedUnpaid ?? false,
  }

  const judge = (events: readonly Judged[], known: StreamState): number => {
    const [first] = events
    const aggregate = first && judgeOf(first.event.stream)
    if (!first || !aggregate || spoiled.has(first.event.stream)) return 1
    book.factsAt(first.event.metadata.at)
    const verdict = decideAgain(aggregate, known.state, events, facts)
    if ('explained' in verdict) return Math.max(1, verdict.explained)
    spoil(first.event, checkOf(first.event.stream), verdict.problem)
    return 1
  }

  /** Applies an event to everything that later events are judged by. */
  const take = (event: Recorded, known: StreamState): StreamState => {
    const aggregate = judgeOf(event.stream)
    const line = lineOf(event, known.state)
    if (line) lines.add(line)
    lines.read(event)
    book.read(event)
    ids.read(event)
    const after = aggregate ? evolved(aggregate, known, event) : known
    const [owner, { merchant }] = [ownerOf(event, after.state), event.metadata]
    if (owner !== undefined && owner !== merchant && !spoiled.has(event.stream))
      spoil(event, 'rules', `it is recorded for the merchant ${merchant}, not for ${owner}`)
    return after
  }

  const walk = async (group: readonly Judged[], known: StreamState, isJudged: boolean) => {
    for (let at = 0; at < group.length;) {
      const rest = group.slice(at)
      const first = rest[0]?.event
      const looking = first && isJudged ? look(first) : undefined
      looked = looking ? await looking : {}
      const count = isJudged ? judge(rest, known) : 1
      for (const { event } of rest.slice(0, count)) known = take(event, known)
      at += count
    }
    return known
  }

  return {
    /** Events of one stream recorded at one moment; not judged if they were judged before. */
    read: async (group: readonly Judged[], isJudged: boolean): Promise<void> => {
      const first = group[0]?.event
      const aggregate = first && judgeOf(first.stream)
      if (!first || !aggregate) return
      try {
        const before = states.before(aggregate, first)
        const known = before instanceof Promise ? await before : before
        states.remember(first.stream, await walk(group, known, isJudged))
      } catch (error) {
        if (!(error instanceof BrokenStream)) throw error
        states.forget(first.stream)
        if (!spoiled.has(first.stream)) spoil(first, 'log', error.message)
      }
    },
    /** Stops judging a stream with an unreadable event. */
    spoil: (stream: string): void => {
      spoiled.add(stream)
      states.forget(stream)
    },
    unsettled: lines.unsettled,
  }
}
