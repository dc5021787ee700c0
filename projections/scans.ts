import { desc, and, eq, gte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { findBy, param, rowsOf, same, columnsOf } from './prepared.ts'
import { projection } from './projection.ts'
import { halfHourMs } from '../domain/accounting/line-sums.ts'
import { dayMs, type Instant } from '../domain/time.ts'
import { partsOf, spanStart } from './turnover.ts'

const spans = [dayMs, halfHourMs]

/** How often each label of a code was scanned per time span. */
export const scanCounts = sqliteTable(
  'scan_counts',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    shortlink: text().notNull(),
    /** The label's text; empty for the code itself. */
    argstring: text().notNull(),
    /** In ms. */
    span: integer().notNull(),
    since: integer().notNull(),
    count: integer().notNull(),
  },
  (row) => {
    const time = [row.span, row.since] as const
    return [
      index('scan_counts_by_time').on(row.merchant, ...time, row.shortlink, row.count),
      index('scan_counts_by_code').on(row.shortlink, ...time, row.argstring, row.count),
    ]
  },
)

export const scanCountProjection = projection({
  table: scanCounts,
  handles: ['ShortlinkScanned'],
  keysOf: ({ stream, data: { argstring, scannedAt }, metadata }) =>
    metadata.merchant === null
      ? []
      : spans.map((span) => {
          const start = spanStart(scannedAt, span)
          return [idIn(stream), span, start, JSON.stringify(argstring)].join(' ')
        }),
  apply: (row, { stream, data: { argstring, scannedAt }, metadata }, key) => {
    const span = Number(String(key).split(' ')[1])
    const before = row ?? {
      key: String(key),
      merchant: metadata.merchant ?? '',
      shortlink: idIn(stream),
      argstring,
      span,
      since: spanStart(scannedAt, span),
      count: 0,
    }
    return { ...before, count: before.count + 1 }
  },
})

export type ScansOfCode = { readonly shortlink: string; readonly count: number }

export type ScansOfLabel = { readonly argstring: string; readonly count: number }

export type ScansInTime = { readonly since: Instant; readonly count: number }

/** Maximum number of labels per code that are counted separately; payers can invent any number. */
export const mostLabels = 500

export const total = sql<number>`sum(${scanCounts.count})`.as('count')

export const isInPart = and(
  same(scanCounts.span),
  gte(scanCounts.since, param('start')),
  sql`${scanCounts.since} < ${param('end')}`,
)

export type Counted = readonly (readonly [name: string, count: number])[]

/** Between two instants, each rounded down to the half hour. */
export const summed = (
  [start, end]: readonly [Instant, Instant],
  countedIn: (part: ReturnType<typeof partsOf>[number]) => Counted,
): Counted => {
  const counts = new Map<string, number>()
  for (const part of partsOf(spanStart(start, halfHourMs), spanStart(end, halfHourMs), spans))
    for (const [name, count] of countedIn(part)) counts.set(name, (counts.get(name) ?? 0) + count)
  return [...counts]
}

export const scanCountQueries = (db: BetterSQLite3Database) => {
  const { merchant, shortlink, argstring, span, since } = scanCounts
  const ofCodes = columnsOf(db, scanCounts, {
    columns: { shortlink, count: total },
    where: [same(merchant), isInPart],
    group: shortlink,
  })
  const ofLabels = columnsOf(db, scanCounts, {
    columns: { argstring, count: total },
    where: [same(shortlink), isInPart],
    group: argstring,
    order: [desc(total)],
    limit: param('limit'),
  })
  const isHalfHour = eq(span, sql.raw(String(halfHourMs)))
  const times = columnsOf(db, scanCounts, {
    columns: { since, count: total },
    where: [same(shortlink), isHalfHour, gte(since, param('start'))],
    group: since,
  })
  return {
    /** Of each code of a merchant scanned between instants, rounded down to the half hour. */
    ofCodes: (merchant: string, start: Instant, end: Instant): readonly ScansOfCode[] =>
      summed([start, end], (part) =>
        ofCodes.all({ merchant, ...part }).map(({ shortlink, count }) => [shortlink, count]),
      ).map(([shortlink, count]) => ({ shortlink, count })),
    /** Of the most scanned labels of a code between instants, rounded down to the half hour. */
    ofLabels: (shortlink: string, start: Instant, end: Instant): readonly ScansOfLabel[] =>
      summed([start, end], (part) =>
        ofLabels
          .all({ shortlink, ...part, limit: mostLabels })
          .map(({ argstring, count }) => [argstring, count]),
      ).map(([argstring, count]) => ({ argstring, count })),
    /** Of a code, by half hour, from an instant on. */
    since: (shortlink: string, start: Instant): readonly ScansInTime[] =>
      times.all({ shortlink, start }),
  }
}

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
    limit: param('limit'),
  })
  return {
    byToken: findBy(db, scans, scans.tokenDigest),
    newest: (merchant: string, shortlink: string, limit: number): readonly ScanRow[] =>
      newest.all({ merchant, shortlink, limit }),
    last: (merchant: string, shortlink: string): ScanRow | undefined =>
      newest.get({ merchant, shortlink, limit: 1 }),
  }
}
