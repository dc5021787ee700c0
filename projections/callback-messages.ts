import { and, asc, desc, eq, gt, lt, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { displayCallbackName } from '../domain/callback-names.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** `unaddressed` had no address when it was told, and stands in the feed only. */
export const messageStatuses = ['unaddressed', 'waiting', 'delivered', 'abandoned'] as const

export type MessageStatus = (typeof messageStatuses)[number]

/** Every message that the log tells, with what has become of it. */
const callbackMessages = sqliteTable(
  'callback_messages',
  {
    id: text().primaryKey(),
    /** In the order of the log: twice the position, and one more for the display. */
    place: integer().notNull(),
    merchant: text(),
    subject: text().notNull(),
    revision: integer().notNull(),
    event: text().notNull(),
    seqno: integer().notNull(),
    at: integer().notNull(),
    status: text().$type<MessageStatus>().notNull(),
    attempts: integer().notNull(),
  },
  (row) => [
    index('callback_messages_by_merchant').on(row.merchant, row.place),
    index('callback_messages_by_status').on(row.merchant, row.status, row.place),
    index('callback_messages_by_subject').on(row.subject, row.place),
  ],
)

export type CallbackMessageRow = typeof callbackMessages.$inferSelect

export const callbackMessageProjection = projection({
  table: callbackMessages,
  key: callbackMessages.id,
  handles: ['CallbackAttempted', 'CallbackRetryRequested'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, { type, data }) => {
    if (!row) return undefined
    if (type === 'CallbackRetryRequested') return { ...row, status: 'waiting' as const }
    const hasArrived = data.result === 'delivered' || row.status === 'delivered'
    const undelivered = data.nextAttemptAt === null ? 'abandoned' : 'waiting'
    const status: MessageStatus = hasArrived ? 'delivered' : undelivered
    return { ...row, seqno: data.seqno, status, attempts: row.attempts + 1 }
  },
  messages: {
    keysOf: ({ id }) => [id],
    apply: (_, { id, merchant, subject, revision, event, seqno, at, ...told }) => ({
      ...{ id, merchant, subject, revision, event, seqno, at },
      place: told.position * 2 + (event === displayCallbackName ? 1 : 0),
      status: told.isAddressed ? ('waiting' as const) : ('unaddressed' as const),
      attempts: 0,
    }),
  },
})

const { id, place, merchant, subject, status } = callbackMessages
const isBefore = lt(place, sql.placeholder('before'))
const isTheirs = eq(merchant, sql.placeholder('merchant'))
const isOfStatus = eq(status, sql.placeholder('status'))

/** Newest first. */
const pagesIn = (db: BetterSQLite3Database) => {
  const page = (condition: SQL | undefined) =>
    prepared(
      db,
      callbackMessages,
      db
        .select()
        .from(callbackMessages)
        .where(and(condition, isBefore))
        .orderBy(desc(place))
        .limit(sql.placeholder('limit')),
    )
  const all = page(isTheirs)
  const ofStatus = page(and(isTheirs, isOfStatus))
  const about = page(eq(subject, sql.placeholder('subject')))
  return {
    list: (merchant: string, status: MessageStatus | undefined, before: number, limit: number) =>
      status === undefined
        ? all.all({ merchant, before, limit })
        : ofStatus.all({ merchant, status, before, limit }),
    listAbout: (subject: string, before: number, limit: number) =>
      about.all({ subject, before, limit }),
    lastPlace: (merchant: string): number =>
      all.get({ merchant, before: Number.MAX_SAFE_INTEGER, limit: 1 })?.place ?? 0,
  }
}

export const callbackMessageQueries = (db: BetterSQLite3Database) => {
  const select = () => db.select().from(callbackMessages)
  const following = prepared(
    db,
    callbackMessages,
    select()
      .where(and(isTheirs, gt(place, sql.placeholder('after'))))
      .orderBy(asc(place))
      .limit(sql.placeholder('limit')),
  )
  const everybodys = prepared(db, callbackMessages, select().where(isOfStatus).orderBy(desc(place)))
  return {
    ...pagesIn(db),
    find: findBy(db, callbackMessages, id),
    /** In the order of the log. */
    after: (merchant: string, after: number, limit: number) =>
      following.all({ merchant, after, limit }),
    /** For the operator: of all merchants, newest first. */
    allOf: (status: MessageStatus) => everybodys.all({ status }),
  }
}
