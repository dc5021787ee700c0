import { desc } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { findBy, given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

const scans = sqliteTable(
  'scans',
  {
    tokenDigest: text().primaryKey(),
    scan: text().notNull(),
    shortlink: text().notNull(),
    merchant: text(),
    payer: text().notNull(),
    argstring: text().notNull(),
    scannedAt: integer().notNull(),
    position: integer().notNull(),
  },
  (row) => [index('scans_by_shortlink').on(row.shortlink, row.position)],
)

type ScanRow = typeof scans.$inferSelect

export const scanProjection = projection({
  table: scans,
  handles: ['ShortlinkScanned'],
  keyOf: ({ data }) => data.tokenDigest,
  apply: (_, { stream, position, metadata: { merchant }, data }) => ({
    ...data,
    shortlink: idIn(stream),
    merchant,
    position,
  }),
})

export const scanQueries = (db: BetterSQLite3Database) => {
  const newest = rowsOf(db, scans, {
    where: [same(scans.shortlink), same(scans.merchant)],
    order: [desc(scans.position)],
    limit: given('limit'),
  })
  return {
    byToken: findBy(db, scans, scans.tokenDigest),
    newest: (merchant: string, shortlink: string, limit: number): readonly ScanRow[] =>
      newest.all({ merchant, shortlink, limit }),
    last: (merchant: string, shortlink: string): ScanRow | undefined =>
      newest.get({ merchant, shortlink, limit: 1 }),
  }
}
