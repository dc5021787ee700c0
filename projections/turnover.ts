import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { Instant } from '../domain/time.ts'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Days of nearly all time zones begin at the start of a half hour of UTC. */
export const turnoverPeriodMs = 1_800_000

/** What a merchant took in a half hour, by point of sale and currency; amounts in minor units. */
const turnover = sqliteTable(
  'turnover',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    since: integer().notNull(),
    posId: text().notNull(),
    currency: text().notNull(),
    /** Payments that were accepted. */
    payments: integer().notNull(),
    captured: integer().notNull(),
    refunds: integer().notNull(),
    refunded: integer().notNull(),
    /** With interchange and tax. */
    fees: integer().notNull(),
  },
  (row) => [index('turnover_by_time').on(row.merchant, row.since)],
)

type Row = typeof turnover.$inferSelect

const periodOf = ({ at }: Pick<TransactionLine, 'at'>): Instant =>
  Math.floor(at / turnoverPeriodMs) * turnoverPeriodMs

const isCounted = ({ action, charge }: TransactionLine): boolean =>
  action === 'auth' || charge !== null

const keyOf = (line: TransactionLine): string =>
  [line.merchant, periodOf(line), line.currency, line.posId ?? ''].join(' ')

const withLine = (row: Row | undefined, line: TransactionLine, key: string): Row => {
  const { merchant, currency, action, charge, amount, additionalAmount } = line
  const posId = line.posId ?? ''
  const nothing = { payments: 0, captured: 0, refunds: 0, refunded: 0, fees: 0 }
  const before = row ?? { key, merchant, since: periodOf(line), posId, currency, ...nothing }
  const gross = amount + additionalAmount
  const fees = charge ? charge.fee + charge.interchange + charge.vat : 0
  return {
    ...before,
    payments: before.payments + (action === 'auth' ? 1 : 0),
    captured: before.captured + (action === 'capture' ? gross : 0),
    refunds: before.refunds + (action === 'refund' ? 1 : 0),
    refunded: before.refunded - (action === 'refund' ? gross : 0),
    fees: before.fees + fees,
  }
}

export const turnoverProjection = projection({
  table: turnover,
  key: turnover.key,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  lines: {
    keysOf: (line) => (isCounted(line) ? [keyOf(line)] : []),
    apply: (row, line, key) => withLine(row, line, String(key)),
  },
})

export type TurnoverSum = Pick<
  Row,
  'posId' | 'currency' | 'payments' | 'captured' | 'refunds' | 'refunded' | 'fees'
>

export const turnoverQueries = (db: BetterSQLite3Database) => {
  const { merchant, since, posId, currency } = turnover
  const total = (column: string) => sql<number>`sum(${sql.raw(column)})`.as(column)
  const sums = db
    .select({
      posId,
      currency,
      payments: total('payments'),
      captured: total('captured'),
      refunds: total('refunds'),
      refunded: total('refunded'),
      fees: total('fees'),
    })
    .from(turnover)
    .where(
      and(
        eq(merchant, sql.placeholder('merchant')),
        gte(since, sql.placeholder('start')),
        lt(since, sql.placeholder('end')),
      ),
    )
    .groupBy(posId, currency)
    .orderBy(asc(posId))
  const between = prepared(db, turnover, sums)
  return {
    /** Of each point of sale, between two instants. */
    between: (merchant: string, start: Instant, end: Instant): readonly TurnoverSum[] =>
      between.all({ merchant, start, end }),
  }
}
