import { asc, gt, lte } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Instant } from '../domain/time.ts'
import { given, prepared, rowsOf } from './prepared.ts'

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
