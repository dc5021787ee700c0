import { and, asc, desc, gt, lt, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import { runOfSubject } from '../domain/callback-names.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import {
  callbackMessages,
  foldedAs,
  untried,
  type CallbackMessageRow,
  type FoldedStatus,
  type MessageStatus,
} from './callback-message-table.ts'
import { gatheredMessageQueries, isGathered, placeOf } from './gathered-messages.ts'
import { projection } from './projection.ts'

/** The row of a gathered message that is sent after all. */
const gathered = (
  event: Recorded<Extract<DomainEvent, { type: 'CallbackRetryRequested' }>>,
): CallbackMessageRow => {
  const { position, stream, metadata, data } = event
  const { subject, revision, event: name, seqno, toldAt = metadata.at } = data
  const place = placeOf({ position: data.position ?? position, event: name })
  const about = { subject, revision, event: name, seqno, at: toldAt, merchant: metadata.merchant }
  return { id: idIn(stream), place, ...about, status: 'waiting', ...untried }
}

export const callbackMessageProjection = projection({
  table: callbackMessages,
  handles: ['CallbackAttempted', 'CallbackRetryRequested'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    if (runOfSubject(event.data.subject)) return row
    if (event.type === 'CallbackRetryRequested') {
      const known = row ?? gathered(event)
      // A message that arrived may be sent again, twice before the next attempt.
      const hasFailed = known.status === 'failing' || known.status === 'abandoned'
      return { ...known, status: hasFailed ? ('failing' as const) : ('waiting' as const) }
    }
    if (!row) return undefined
    const { data } = event
    const hasArrived = data.result === 'delivered' || row.status === 'delivered'
    const undelivered = data.nextAttemptAt === null ? 'abandoned' : 'failing'
    const status: FoldedStatus = hasArrived ? 'delivered' : undelivered
    const about = { ...row, seqno: data.seqno, attempts: row.attempts + 1 }
    const { httpStatus, problem } = hasArrived ? untried : data
    return { ...about, status, httpStatus, problem }
  },
  messages: {
    begins: true,
    keysOf: (message) => (isGathered(message) ? [] : [message.id]),
    apply: (_, message) => ({
      id: message.id,
      place: placeOf(message),
      merchant: message.merchant,
      subject: message.subject,
      revision: message.revision,
      event: message.event,
      seqno: message.seqno,
      at: message.at,
      status: message.isAddressed ? ('waiting' as const) : ('unaddressed' as const),
      ...untried,
    }),
  },
})

const { id, place, merchant, subject, status } = callbackMessages

const isBefore = lt(place, param('before'))

const isTheirs = same(merchant)

const isOfStatus = same(status)

/** Rows, merged with gathered messages that have no row of their own. */
const withGathered =
  (find: (id: string) => CallbackMessageRow | undefined) =>
  (rows: readonly CallbackMessageRow[], gathered: readonly CallbackMessageRow[]) => [
    ...rows,
    ...gathered.filter(({ id }) => find(id) === undefined),
  ]

type Gathered = {
  readonly joined: ReturnType<typeof withGathered>
  readonly gathered: ReturnType<typeof gatheredMessageQueries>
}

const oldestFirst = (a: CallbackMessageRow, b: CallbackMessageRow): number => a.place - b.place

const newestFirst = (a: CallbackMessageRow, b: CallbackMessageRow): number => b.place - a.place

/** Newest first. */
const pagesIn = (db: BetterSQLite3Database, { joined, gathered }: Gathered) => {
  const page = (condition: SQL | undefined) =>
    rowsOf(db, callbackMessages, {
      where: [condition, isBefore],
      order: [desc(place)],
      limit: param('limit'),
    })
  const all = page(isTheirs)
  const ofStatus = page(and(isTheirs, isOfStatus))
  const about = page(same(subject))
  /** Each status has its page of the index, so that no other rows are read. */
  const list = (
    merchant: string,
    statuses: readonly FoldedStatus[] | undefined,
    before: number,
    limit: number,
  ): CallbackMessageRow[] => {
    const range = { merchant, before, limit }
    const rows =
      statuses === undefined
        ? all.all(range)
        : statuses.flatMap((status) => ofStatus.all({ ...range, status }))
    const isWithGathered = statuses?.includes('unaddressed') ?? true
    const merged = isWithGathered ? joined(rows, gathered.before(merchant, before, limit)) : rows
    return merged.toSorted(newestFirst).slice(0, limit)
  }
  return {
    list,
    /** Excludes gathered messages. */
    listAbout: (subject: string, before: number, limit: number) =>
      about.all({ subject, before, limit }),
    lastPlace: (merchant: string): number =>
      list(merchant, undefined, Number.MAX_SAFE_INTEGER, 1)[0]?.place ?? 0,
  }
}

export const callbackMessageQueries = (db: BetterSQLite3Database) => {
  const following = rowsOf(db, callbackMessages, {
    where: [isTheirs, gt(place, param('after'))],
    order: [asc(place)],
    limit: param('limit'),
  })
  const everybodys = rowsOf(db, callbackMessages, { where: [isOfStatus], order: [desc(place)] })
  const find = findBy(db, callbackMessages, id)
  const gathered = gatheredMessageQueries(db)
  const joined = withGathered(find)
  return {
    ...pagesIn(db, { joined, gathered }),
    find: (id: string): CallbackMessageRow | undefined => find(id) ?? gathered.find(id),
    /** The message of an event without an address, unless it has a row. */
    findGathered: (event: Pick<Recorded, 'id' | 'position' | 'metadata'>) =>
      find(event.id) ? undefined : gathered.findAt(event),
    /** In log order. */
    after: (merchant: string, after: number, limit: number): CallbackMessageRow[] => {
      const rows = following.all({ merchant, after, limit })
      const merged = joined(rows, gathered.after(merchant, after, limit))
      return merged.toSorted(oldestFirst).slice(0, limit)
    },
    /** For the operator: all merchants, newest first. */
    allOf: (status: MessageStatus): CallbackMessageRow[] => {
      const rows = foldedAs(status).flatMap((one) => everybodys.all({ status: one }))
      const all = status === 'unaddressed' ? joined(rows, gathered.all()) : rows
      return all.toSorted(newestFirst)
    },
  }
}
