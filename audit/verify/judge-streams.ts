import type { EventStore } from '../../application/event-store.ts'
import type { Facts } from '../rules/causes.ts'
import { streamOfSubject } from '../../domain/callback-names.ts'
import { decideAgain, type Judged } from '../rules/decide-again.ts'
import { factBook } from '../rules/fact-book.ts'
import type { Recorded } from '../../domain/events.ts'
import { parseEvent } from '../../domain/events.ts'
import type { Permissions } from '../../domain/people/grant.ts'
import { categoryOf, idIn, merchantAndIdIn } from '../../domain/stream.ts'
import { announcedBy } from '../../projections/announced-messages.ts'
import { deriveIds, makeDigest } from '../../infrastructure/event-store/derived-ids.ts'
import { lineBook, lineOf } from './line-book.ts'
import type { Check, Problems } from './problems.ts'
import { BrokenStream, evolved, judgeOf, streamStates, type StreamState } from './stream-states.ts'

type Told = ReturnType<Facts['announcedBy']>
/** What another stream says that is needed to judge an event. */
type Looked = { readonly told?: Told; readonly granted?: Permissions | null }

const checkOf = (stream: string): Check => {
  switch (categoryOf(stream)) {
    case 'ledger':
    case 'settlement':
    case 'series':
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
const lookUp = (store: Pick<EventStore, 'readStream'>) => {
  const told = async (subject: string, revision: number, before: number): Promise<Told> => {
    const [found] = await store.readStream(streamOfSubject(subject), revision, 1)
    if (found?.revision !== revision || found.position > before) return undefined
    const event = parseEvent(found)
    const told = announcedBy(event, subject)
    return told && { ...told, position: event.position, at: event.metadata.at }
  }
  const granted = async (stream: string, before: number): Promise<Permissions | null> => {
    const judge = judgeOf(stream)
    if (!judge) return null
    let state: StreamState = { revision: -1, state: judge.decider.initial, size: 0 }
    for (const event of await store.readStream(stream))
      if (event.position < before) state = evolved(judge, state, parseEvent(event))
    return permissionsIn(state.state)
  }
  return (event: Recorded): Promise<Looked> | undefined => {
    const { type, data, stream, position } = event
    if (type === 'CallbackAttempted' || type === 'CallbackRetryRequested')
      return told(data.subject, data.revision, position).then((told) => ({ told }))
    if (type === 'GrantRefreshed')
      return granted(idIn(stream), position).then((granted) => ({ granted }))
    return undefined
  }
}

type Needs = {
  readonly store: Pick<EventStore, 'readStream'>
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
    announcedBy: () => looked.told,
    grantedBy: () => looked.granted ?? null,
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
