import { and, asc, desc, gte, lte, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LoggedMessage } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { timeOfEventId } from '../domain/event-times.ts'
import { dayMs } from '../domain/time.ts'
import { untried, type CallbackMessageRow } from './callback-message-table.ts'
import { param, prepared, rowsOf, same } from './prepared.ts'
import { projection, type Key } from './projection.ts'
import {
  callbackEventNames,
  callbackNameOf,
  displayCallbackName,
  displayMessageId,
  displayOf,
  isDisplayed,
  messageIdOfRun,
  runOfSubject,
  scanCallbackName,
} from '../domain/callback-names.ts'
import { payments } from '../domain/aggregates.ts'
import { idIn, streamOf } from '../domain/stream.ts'

/** The callback message that an event announces about a subject. */
export const announcedBy = (
  { id, type, stream, metadata }: Pick<Recorded, 'id' | 'type' | 'stream' | 'metadata'>,
  subject: Key,
): { readonly id: string; readonly event: string } | undefined => {
  const ofRun = runOfSubject(String(subject))
  if (ofRun) {
    const message = announcedBy({ id, type, stream, metadata }, ofRun.subject)
    return message && { ...message, id: messageIdOfRun(message.id, ofRun.run) }
  }
  if (subject === displayOf(stream))
    return isDisplayed(type) ? { id: displayMessageId(id), event: displayCallbackName } : undefined
  if (type === 'ShortlinkScanned') return { id, event: scanCallbackName }
  if (type === 'CallbackTestRequested') return { id, event: 'test_event' }
  const event = callbackNameOf(type, metadata.schema)
  return event === undefined ? undefined : { id, event }
}

/** Rank in log order: twice the position, plus one for the display's message. */
export const placeOf = ({ position, event }: Pick<LoggedMessage, 'position' | 'event'>): number =>
  position * 2 + (event === displayCallbackName ? 1 : 0)

/** The position of a message's event. */
export const positionOf = ({ place }: { readonly place: number }): number => Math.floor(place / 2)

const paymentPrefix = streamOf(payments, '')

/** Whether the message shares a row. Most messages belong to payments without an address. */
export const isGathered = ({ isAddressed, subject }: LoggedMessage): boolean =>
  !isAddressed && subject.startsWith(paymentPrefix)

/** Small enough to rewrite a row cheaply. Fixed, so that rows do not depend on batches. */
const positionsPerRow = 128

/**
 * Messages of a merchant's payments without an address, which appear only in the feed: gathered,
 * many per row.
 */
const gatheredMessages = sqliteTable(
  'gathered_messages',
  {
    /** `<merchant>/<part>`. */
    key: text().primaryKey(),
    merchant: text().notNull(),
    /** Log position divided by `positionsPerRow`. */
    part: integer().notNull(),
    /** Times of the first and the last message. */
    earliest: integer().notNull(),
    latest: integer().notNull(),
    /** One per line, in log order. */
    messages: text().notNull(),
  },
  (row) => [
    index('gathered_messages_by_part').on(row.merchant, row.part),
    index('gathered_messages_by_time').on(row.latest, row.earliest),
  ],
)

type Row = typeof gatheredMessages.$inferSelect

const partOf = (position: number): number => Math.floor(position / positionsPerRow)

/** Numbers stand for these names; a file of other names has another fingerprint. */
const eventNames: readonly string[] = [...new Set(Object.values(callbackEventNames))]

const numberOfEvent = new Map(eventNames.map((name, number) => [name, String(number)]))

const placesPerRow = 2 * positionsPerRow

/** Separated by tabs, which no id contains. The time is left out where the id contains it. */
const lineOf = (message: LoggedMessage): string => {
  const { id, subject, revision, event, seqno, at } = message
  const place = placeOf(message) % placesPerRow
  const name = numberOfEvent.get(event) ?? event
  const time = timeOfEventId(id) === at ? '' : `\t${at}`
  return `${place}\t${id}\t${idIn(subject)}\t${revision}\t${name}\t${seqno}${time}\n`
}

/** In log order. */
const messagesIn = ({ merchant, part, messages }: Row): CallbackMessageRow[] =>
  messages
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [place, id = '', tid = '', revision, event = '', seqno, time] = line.split('\t')
      const about = {
        id,
        place: part * placesPerRow + Number(place),
        merchant,
        subject: streamOf(payments, tid),
        revision: Number(revision),
        event: eventNames[Number(event)] ?? event,
        seqno: Number(seqno),
        at: Number(time ?? timeOfEventId(id)),
      }
      return { ...about, status: 'unaddressed', ...untried }
    })

export const gatheredMessageProjection = projection({
  table: gatheredMessages,
  // Later messages are in rows of the last part only.
  rowsKept: positionsPerRow,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  messages: {
    begins: false,
    keysOf: (message) =>
      isGathered(message) ? [`${message.merchant}/${partOf(message.position)}`] : [],
    apply: (row, message, key) => {
      const { at, position, merchant } = message
      const line = lineOf(message)
      if (row)
        return {
          ...row,
          earliest: Math.min(row.earliest, at),
          latest: Math.max(row.latest, at),
          messages: row.messages + line,
        }
      const part = partOf(position)
      const own = { key: String(key), merchant: String(merchant), part }
      return { ...own, earliest: at, latest: at, messages: line }
    },
  },
})

/** The first items of an iterable; reads rows only as needed. */
const taken = <Item>(items: Iterable<Item>, limit: number): Item[] => {
  const first: Item[] = []
  for (const item of items) {
    if (first.length === limit) break
    first.push(item)
  }
  return first
}

/** Iterates a merchant's messages from a place on, forwards or backwards. */
const walksIn = (db: BetterSQLite3Database) => {
  const { merchant, part } = gatheredMessages
  const first = (condition: SQL, order: SQL) => {
    const isTheirs = same(merchant)
    const query = db.select().from(gatheredMessages).where(and(isTheirs, condition))
    return prepared(db, gatheredMessages, query.orderBy(order).limit(1))
  }
  const following = first(gte(part, param('part')), asc(part))
  const preceding = first(lte(part, param('part')), desc(part))

  function* after(merchant: string, place: number): Generator<CallbackMessageRow> {
    let row = following.get({ merchant, part: partOf(positionOf({ place })) })
    for (; row; row = following.get({ merchant, part: row.part + 1 }))
      for (const message of messagesIn(row)) if (message.place > place) yield message
  }

  function* before(merchant: string, place: number): Generator<CallbackMessageRow> {
    let row = preceding.get({ merchant, part: partOf(positionOf({ place })) })
    for (; row; row = preceding.get({ merchant, part: row.part - 1 }))
      for (const message of messagesIn(row).toReversed()) if (message.place < place) yield message
  }

  return { after, before }
}

/**
 * The time from which every id contains its time: that of the first such id, plus a day, because
 * rows of a transition may contain both kinds.
 */
const untilTimed = sql.raw(`coalesce(
  (select latest from gathered_messages where messages like '%\t________-____-8%'
   order by latest limit 1) + ${dayMs}, ${Number.MAX_SAFE_INTEGER})`)

/** As ids of messages begin, and little else that people search for. */
const startOfUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/

type Identifying = 'id' | 'position' | 'metadata'

export const gatheredMessageQueries = (db: BetterSQLite3Database) => {
  const { earliest, latest, messages, key } = gatheredMessages
  const at = param('at')
  const where = (condition: SQL) => rowsOf(db, gatheredMessages, { where: [condition] })
  const announcedAt = where(and(gte(latest, at), lte(earliest, at)) as SQL)
  const naming = where(sql`${latest} <= ${untilTimed} and instr(${messages}, ${param('id')}) > 0`)
  const everything = rowsOf(db, gatheredMessages, { order: [asc(key)] })
  const { after, before } = walksIn(db)
  return {
    after: (merchant: string, place: number, limit: number) => taken(after(merchant, place), limit),
    before: (merchant: string, place: number, limit: number) =>
      taken(before(merchant, place), limit),
    /** Ids of earlier versions contain no time, so all messages of that period are searched. */
    find: (id: string): CallbackMessageRow | undefined => {
      if (!startOfUuid.test(id)) return undefined
      const time = timeOfEventId(id)
      const rows = time === undefined ? naming.all({ id }) : announcedAt.all({ at: time })
      return rows.flatMap(messagesIn).find((message) => message.id === id)
    },
    findAt: ({ id, position, metadata: { merchant } }: Pick<Recorded, Identifying>) =>
      taken(after(String(merchant), 2 * position - 1), 1).find((message) => message.id === id),
    all: (): CallbackMessageRow[] => everything.all().flatMap(messagesIn),
  }
}
