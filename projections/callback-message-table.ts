import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `unaddressed`: had no address at its event, and appears only in the feed. */
export const messageStatuses = ['unaddressed', 'waiting', 'delivered', 'abandoned'] as const

export type MessageStatus = (typeof messageStatuses)[number]

/** `failing` waits, too, but after an attempt. */
export type FoldedStatus = MessageStatus | 'failing'

export const foldedAs = (status: MessageStatus): readonly FoldedStatus[] =>
  status === 'waiting' ? ['waiting', 'failing'] : [status]

/** Every callback message in the log, and its delivery status. */
export const callbackMessages = sqliteTable(
  'callback_messages',
  {
    id: text().primaryKey(),
    place: integer().notNull(),
    merchant: text(),
    subject: text().notNull(),
    revision: integer().notNull(),
    event: text().notNull(),
    seqno: integer().notNull(),
    at: integer().notNull(),
    status: text().$type<FoldedStatus>().notNull(),
    attempts: integer().notNull(),
    /** Of the last attempt, unless it arrived. */
    httpStatus: integer(),
    problem: text(),
  },
  (row) => [
    index('callback_messages_by_merchant').on(row.merchant, row.place),
    index('callback_messages_by_status').on(row.merchant, row.status, row.place),
    index('callback_messages_by_subject').on(row.subject, row.place),
  ],
)

export type CallbackMessageRow = typeof callbackMessages.$inferSelect

/** What has become of a message for those outside. */
export const statusOf = ({ status }: Pick<CallbackMessageRow, 'status'>): MessageStatus =>
  status === 'failing' ? 'waiting' : status

export const untried = { attempts: 0, httpStatus: null, problem: null } as const
