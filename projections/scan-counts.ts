import { and, eq, gte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { halfHourMs } from '../domain/accounting/line-sums.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { given, prepared, same } from './prepared.ts'
import { projection } from './projection.ts'
import { partsOf, spans, spanStart } from './spans.ts'

/** How often a code was scanned in a span of time. */
const scanCounts = sqliteTable(
  'scan_counts',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    shortlink: text().notNull(),
    /** In ms. */
    span: integer().notNull(),
    since: integer().notNull(),
    count: integer().notNull(),
  },
  (row) => {
    const time = [row.span, row.since] as const
    return [
      index('scan_counts_by_time').on(row.merchant, ...time, row.shortlink, row.count),
      index('scan_counts_by_code').on(row.shortlink, ...time, row.count),
    ]
  },
)

export const scanCountProjection = projection({
  table: scanCounts,
  key: scanCounts.key,
  handles: ['ShortlinkScanned'],
  keysOf: ({ stream, data, metadata }) =>
    metadata.merchant === null
      ? []
      : spans.map((span) => [idIn(stream), span, spanStart(data.scannedAt, span)].join(' ')),
  apply: (row, { metadata }, key) => {
    const [shortlink = '', span, since] = String(key).split(' ')
    const about = { shortlink, span: Number(span), since: Number(since), count: 0 }
    const before = row ?? { key: String(key), merchant: metadata.merchant ?? '', ...about }
    return { ...before, count: before.count + 1 }
  },
})

type ScansOfCode = { readonly shortlink: string; readonly count: number }
type ScansInTime = { readonly since: Instant; readonly count: number }

export const scanCountQueries = (db: BetterSQLite3Database) => {
  const { merchant, shortlink, span, since, count } = scanCounts
  const total = sql<number>`sum(${count})`.as('count')
  const ofCodes = prepared(
    db,
    scanCounts,
    db
      .select({ shortlink, count: total })
      .from(scanCounts)
      .where(
        and(
          same(merchant),
          same(span),
          gte(since, given('start')),
          sql`${since} < ${given('end')}`,
        ),
      )
      .groupBy(shortlink),
  )
  const times = prepared(
    db,
    scanCounts,
    db
      .select({ since, count })
      .from(scanCounts)
      .where(
        and(same(shortlink), eq(span, sql.raw(String(halfHourMs))), gte(since, given('start'))),
      ),
  )
  return {
    /** Of every code of a merchant that was scanned between the half hours of two instants. */
    ofCodes: (merchant: string, start: Instant, end: Instant): readonly ScansOfCode[] => {
      const counts = new Map<string, number>()
      const bounds = [start, end].map((at) => spanStart(at, halfHourMs)) as [Instant, Instant]
      for (const part of partsOf(...bounds))
        for (const { shortlink, count } of ofCodes.all({ merchant, ...part }))
          counts.set(shortlink, (counts.get(shortlink) ?? 0) + count)
      return [...counts].map(([shortlink, count]) => ({ shortlink, count }))
    },
    /** Of a code, by the half hours from an instant on. */
    since: (shortlink: string, start: Instant): readonly ScansInTime[] =>
      times.all({ shortlink, start }),
  }
}
