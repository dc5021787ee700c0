import { and, desc, eq, gt, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Instant } from '../domain/time.ts'
import { paymentTable } from './payment-table.ts'
import { permissionTable } from './permissions.ts'
import { given, prepared } from './prepared.ts'

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
          eq(payer, given('payer')),
          eq(isWaiting, given('isWaiting')),
          gt(expiresAt, given('after')),
          lt(position, given('before')),
        ),
      )
      .orderBy(desc(position))
      .limit(given('limit')),
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
