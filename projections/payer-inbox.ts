import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** The requests of each payer: what waits for an answer, and what was answered or has ended. */
const payerInbox = sqliteTable(
  'payer_inbox',
  {
    stream: text().primaryKey(),
    /** Of the event that put it here or moved it: the order of lists. */
    position: integer().notNull(),
    /** Null as long as anyone may answer. */
    payer: text(),
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    expiresAt: integer().notNull(),
  },
  (row) => [index('payer_inbox_by_payer').on(row.payer, row.isWaiting, row.position)],
)

export type InboxRow = typeof payerInbox.$inferSelect

export const payerInboxProjection = projection({
  table: payerInbox,
  key: payerInbox.stream,
  handles: [
    ...(['PaymentRequested', 'PaymentAuthorized', 'PaymentDeclined', 'PaymentFailed'] as const),
    ...(['PaymentPickedUp', 'PaymentAborted', 'PaymentExpired'] as const),
    ...(['PermissionRequested', 'PermissionGranted'] as const),
    ...(['PermissionDeclined', 'PermissionFailed', 'PermissionExpired'] as const),
  ],
  begins: ['PaymentRequested', 'PermissionRequested'],
  keyOf: ({ stream }) => stream,
  apply: (row, event) => {
    const { stream, position } = event
    switch (event.type) {
      case 'PaymentRequested':
      case 'PermissionRequested': {
        const { payer, expiresAt } = event.data
        return { stream, position, payer, isWaiting: true, expiresAt }
      }
      case 'PaymentPickedUp':
        return row && { ...row, position, payer: event.data.payer }
      case 'PaymentAuthorized':
      case 'PaymentDeclined':
      case 'PermissionGranted':
      case 'PermissionDeclined':
        return row && { ...row, position, payer: event.data.payer, isWaiting: false }
      case 'PaymentFailed':
      case 'PaymentAborted':
      case 'PaymentExpired':
      case 'PermissionFailed':
      case 'PermissionExpired':
        return row && { ...row, position, isWaiting: false }
    }
  },
})

export const payerInboxQueries = (db: BetterSQLite3Database) => {
  const page = prepared(
    db,
    payerInbox,
    db
      .select()
      .from(payerInbox)
      .where(
        and(
          eq(payerInbox.payer, sql.placeholder('payer')),
          eq(payerInbox.isWaiting, sql.placeholder('isWaiting')),
          lt(payerInbox.position, sql.placeholder('before')),
        ),
      )
      .orderBy(desc(payerInbox.position))
      .limit(sql.placeholder('limit')),
  )
  return {
    /** Newest first. */
    waiting: (payer: string): readonly InboxRow[] =>
      page.all({ payer, isWaiting: 1, before: Number.MAX_SAFE_INTEGER, limit: 100 }),
    history: (payer: string, before: number, limit: number): readonly InboxRow[] =>
      page.all({ payer, isWaiting: 0, before, limit }),
  }
}
