import { asc, gt, lte, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Instant } from '../domain/time.ts'
import { given, prepared, rowsOf, same } from './prepared.ts'
import { isAuthorized, paymentTable } from './payment-table.ts'

/** A merchant's authorisations, soonest to expire first. */
export const expiringQueries = (db: BetterSQLite3Database) => {
  const { merchant, deadline } = paymentTable
  const ending = (...also: readonly SQL[]) =>
    rowsOf(db, paymentTable, {
      where: [...also, isAuthorized, gt(deadline, given('start')), lte(deadline, given('end'))],
      order: [asc(deadline)],
      limit: given('limit'),
    })
  const soon = ending(same(merchant))
  const anywhere = ending()
  return {
    ofMerchant: (merchant: string, start: Instant, end: Instant, limit: number) =>
      soon.all({ merchant, start, end, limit }),
    anywhere: (start: Instant, end: Instant, limit: number) => anywhere.all({ start, end, limit }),
  }
}

const now = given('now')

/** Rows whose time in a column has come, earliest first. */
export const dueBy = <Table extends SQLiteTable>(
  db: BetterSQLite3Database,
  table: Table,
  column: SQLiteColumn,
) => {
  const { all } = rowsOf(db, table, {
    where: [lte(column, now)],
    order: [asc(column)],
    limit: given('limit'),
  })
  return (now: Instant, limit: number) => all({ now, limit })
}

/** The next time in a column after now. */
export const nextBy = (db: BetterSQLite3Database, table: SQLiteTable, column: SQLiteColumn) => {
  const query = db
    .select({ [column.name]: column })
    .from(table)
    .where(gt(column, now))
    .orderBy(asc(column))
    .limit(1)
  const { get } = prepared(db, table, query)
  return (now: Instant) => (get({ now })?.[column.name] ?? null) as Instant | null
}
