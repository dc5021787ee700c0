import { and, desc, eq, gte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { findBy, prepared } from './prepared.ts'
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
  (row) => [
    index('scans_by_shortlink').on(row.shortlink, row.position),
    index('scans_by_time').on(row.merchant, row.scannedAt, row.shortlink),
  ],
)

export type ScanRow = typeof scans.$inferSelect

export const scanProjection = projection({
  table: scans,
  key: scans.tokenDigest,
  handles: ['ShortlinkScanned'],
  keyOf: ({ data }) => data.tokenDigest,
  apply: (_, { stream, position, metadata: { merchant }, data }) => ({
    ...data,
    shortlink: idIn(stream),
    merchant,
    position,
  }),
})

/** How often codes were scanned in an hour that a clock has begun. */
type ScansInHour = {
  readonly shortlink: string
  readonly hour: number
  readonly count: number
}

const hourMs = 3_600_000

/** Of all codes of a merchant; read from an index alone. */
const hoursIn = (db: BetterSQLite3Database) => {
  const hour = sql<number>`${scans.scannedAt} / ${sql.raw(String(hourMs))}`
  const query = db
    .select({ shortlink: scans.shortlink, hour, count: sql<number>`count(*)` })
    .from(scans)
    .where(
      and(
        eq(scans.merchant, sql.placeholder('merchant')),
        gte(scans.scannedAt, sql.placeholder('since')),
      ),
    )
    .groupBy(scans.shortlink, hour)
    .prepare()
  return (merchant: string, since: Instant): readonly ScansInHour[] =>
    query.all({ merchant, since }).map((row) => ({ ...row, hour: row.hour * hourMs }))
}

export const scanQueries = (db: BetterSQLite3Database) => {
  const last = prepared(
    db,
    scans,
    db
      .select()
      .from(scans)
      .where(
        and(
          eq(scans.shortlink, sql.placeholder('shortlink')),
          eq(scans.merchant, sql.placeholder('merchant')),
        ),
      )
      .orderBy(desc(scans.position))
      .limit(1),
  )
  return {
    hoursSince: hoursIn(db),
    byToken: findBy(db, scans, scans.tokenDigest),
    last: (merchant: string, shortlink: string): ScanRow | undefined =>
      last.get({ merchant, shortlink }),
  }
}
