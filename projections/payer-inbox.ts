import { and, desc, eq, gt, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { type SQLiteColumn, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Instant } from '../domain/time.ts'
import { paymentTable } from './payment-table.ts'
import { permissionTable } from './permissions.ts'
import { param, prepared, findBy, rowsOf, same } from './prepared.ts'
import { idIn } from '../domain/stream.ts'
import { projection } from './projection.ts'

/** Keyed by the SHA-256 of the session token. */
export const payerSessions = sqliteTable(
  'payer_sessions',
  {
    session: text().primaryKey(),
    payer: text().notNull(),
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** Time of the last recorded use; more recent uses are in memory. */
    usedAt: integer().notNull(),
    /** Name of the device, sealed. */
    device: text(),
  },
  (row) => [index('payer_sessions_by_payer').on(row.payer, row.startedAt)],
)

export const payerSessionProjection = projection({
  table: payerSessions,
  handles: ['PayerSignedIn', 'PayerSessionUsed', 'PayerSignedOut'],
  keyOf: ({ data }) => data.session,
  apply: (row, event) => {
    if (event.type === 'PayerSignedOut') return undefined
    if (event.type === 'PayerSessionUsed') return row && { ...row, usedAt: event.metadata.at }
    const { session, expiresAt, device = null } = event.data
    const payer = idIn(event.stream)
    const { at } = event.metadata
    return { session, payer, startedAt: at, usedAt: at, expiresAt, device }
  },
})

/** Maximum number shown; the newest first. */
export const maxListed = 50

export const payerSessionQueries = (db: BetterSQLite3Database) => {
  const ofPayer = rowsOf(db, payerSessions, {
    where: [same(payerSessions.payer), gt(payerSessions.expiresAt, param('at'))],
    order: [desc(payerSessions.startedAt)],
    limit: maxListed,
  })
  return {
    find: findBy(db, payerSessions, payerSessions.session),
    /** Live sessions, newest first. */
    ofPayer: (payer: string, at: number) => ofPayer.all({ payer, at }),
  }
}

/** A request that waits for the payer, or was answered or ended. */
export type InboxEntry = {
  readonly kind: 'payment' | 'permission'
  readonly id: string
  readonly position: number
  readonly expiresAt: Instant
}

type Columns = Readonly<
  Record<'id' | 'payer' | 'isWaiting' | 'position' | 'expiresAt', SQLiteColumn>
>

/** Newest first. */
const entriesIn = (db: BetterSQLite3Database, kind: InboxEntry['kind'], columns: Columns) => {
  const { id, payer, isWaiting, position, expiresAt } = columns
  const page = prepared<Readonly<Record<string, unknown>>>(
    db,
    id.table,
    db
      .select({ id, position, expiresAt })
      .from(id.table)
      .where(
        and(
          eq(payer, param('payer')),
          eq(isWaiting, param('isWaiting')),
          gt(expiresAt, param('after')),
          lt(position, param('before')),
        ),
      )
      .orderBy(desc(position))
      .limit(param('limit')),
  )
  return (of: {
    readonly payer: string
    readonly isWaiting: boolean
    readonly after: Instant
    readonly before: number
    readonly limit: number
  }): InboxEntry[] =>
    page.all({ ...of, isWaiting: Number(of.isWaiting) }).map((row) => ({
      kind,
      id: row[id.name] as string,
      position: row[position.name] as number,
      expiresAt: row[expiresAt.name] as Instant,
    }))
}

/** A payer's payments and permissions together. */
export const payerInboxQueries = (db: BetterSQLite3Database) => {
  const kinds = [
    entriesIn(db, 'payment', {
      id: paymentTable.tid,
      payer: paymentTable.payer,
      isWaiting: paymentTable.isWaiting,
      position: paymentTable.inboxPosition,
      expiresAt: paymentTable.expiresAt,
    }),
    entriesIn(db, 'permission', {
      id: permissionTable.rid,
      payer: permissionTable.payer,
      isWaiting: permissionTable.isWaiting,
      position: permissionTable.inboxPosition,
      expiresAt: permissionTable.expiresAt,
    }),
  ]
  const list = (of: Parameters<(typeof kinds)[number]>[0]): readonly InboxEntry[] =>
    kinds
      .flatMap((entries) => entries(of))
      .sort((a, b) => b.position - a.position)
      .slice(0, of.limit)
  return {
    /** Requests that can still be answered. */
    waiting: (payer: string, at: Instant, before: number, limit: number) =>
      list({ payer, isWaiting: true, after: at, before, limit }),
    history: (payer: string, before: number, limit: number) =>
      list({ payer, isWaiting: false, after: 0, before, limit }),
  }
}
