import { gte, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type LineSum, halfHourMs } from '../domain/accounting/line-sums.ts'
import { type Instant, dayMs } from '../domain/time.ts'
import { columnsOf, param, same } from './prepared.ts'
import { projection } from './projection.ts'

/** With these, any period is the sum of a few rows: of four weeks, a day and half an hour. */
export const turnoverSpans = [28 * dayMs, dayMs, halfHourMs] as const

/** Where the span that holds an instant begins. */
export const spanStart = (at: Instant, span: number): Instant => Math.floor(at / span) * span

/** Added if `sign` is 1, subtracted if -1. */
export type Part = {
  readonly span: number
  readonly start: Instant
  readonly end: Instant
  readonly sign: 1 | -1
}

/**
 * Splits a period into the longest of some spans. If `mayExceed`, they may extend beyond it, and
 * shorter ones are subtracted when that takes fewer: a day of any time zone is then one day and a
 * few half hours, instead of 48 half hours.
 */
export const partsOf = (
  start: Instant,
  end: Instant,
  [span, ...shorter]: readonly number[],
  mayExceed = false,
  sign: Part['sign'] = 1,
): readonly Part[] => {
  if (span === undefined || start === end) return []
  if (shorter.length === 0) return [{ span, start, end, sign }]
  const [up, down] = mayExceed ? [Math.round, Math.round] : [Math.ceil, Math.floor]
  const [first, last] = [up(start / span) * span, down(end / span) * span]
  const beyond = Math.abs(start - first) + Math.abs(end - last)
  if (first >= last || end - start <= beyond) return partsOf(start, end, shorter, mayExceed, sign)
  const between = (from: Instant, to: Instant) =>
    from < to
      ? partsOf(from, to, shorter, mayExceed, sign)
      : partsOf(to, from, shorter, mayExceed, sign === 1 ? -1 : 1)
  return [...between(start, first), { span, start: first, end: last, sign }, ...between(last, end)]
}

/** Stands for all points of sale together. */
export const allPointsOfSale = ''

/** The turnover of a point of sale in a time span, by currency; amounts in minor units. */
const turnover = sqliteTable(
  'turnover',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    posId: text().notNull(),
    /** In ms. */
    span: integer().notNull(),
    since: integer().notNull(),
    currency: text().notNull(),
    /** Number of payments requested. */
    requested: integer().notNull(),
    /** Number of payments that were captured for the first time. */
    payments: integer().notNull(),
    captured: integer().notNull(),
    refunds: integer().notNull(),
    refunded: integer().notNull(),
    /** Includes interchange and tax. */
    fees: integer().notNull(),
  },
  (row) => [index('turnover_by_time').on(row.merchant, row.posId, row.span, row.since)],
)

type Row = typeof turnover.$inferSelect

const isCounted = ({ action, charge }: LineSum): boolean => action === 'request' || charge !== null

type Place = Pick<Row, 'posId' | 'span'>

const placesOf = ({ posId }: LineSum): readonly Place[] =>
  [allPointsOfSale, posId ?? allPointsOfSale]
    .filter((one, place, all) => all.indexOf(one) === place)
    .flatMap((one) => turnoverSpans.map((span) => ({ posId: one, span })))

/** No part of it contains a space. */
const keyOf = ({ merchant, at, currency }: LineSum, { posId, span }: Place): string =>
  [merchant, span, spanStart(at, span), currency, posId].join(' ')

const placeIn = (key: string): Place => {
  const [, span = '', , , posId = ''] = key.split(' ')
  return { posId, span: Number(span) }
}

const nothing = { requested: 0, payments: 0, captured: 0, refunds: 0, refunded: 0, fees: 0 }

const withSum = (row: Row | undefined, sum: LineSum, key: string): Row => {
  const { merchant, currency, at, action, isFirst, count, charge, amount, additionalAmount } = sum
  const gross = amount + additionalAmount
  const before = row ?? {
    key,
    merchant,
    currency,
    ...nothing,
    ...placeIn(key),
    since: spanStart(at, placeIn(key).span),
  }
  const fees = charge ? charge.fee + charge.interchange + charge.vat : 0
  return {
    ...before,
    requested: before.requested + (action === 'request' ? count : 0),
    payments: before.payments + (isFirst ? count : 0),
    captured: before.captured + (action === 'capture' ? gross : 0),
    refunds: before.refunds + (action === 'refund' ? count : 0),
    refunded: before.refunded - (action === 'refund' ? gross : 0),
    fees: before.fees + fees,
  }
}

export const turnoverProjection = projection({
  table: turnover,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  sums: {
    keysOf: (sum) => (isCounted(sum) ? placesOf(sum).map((place) => keyOf(sum, place)) : []),
    apply: (row, sum, key) => withSum(row, sum, String(key)),
  },
})

type TurnoverSum = Pick<Row, 'currency' | keyof typeof nothing>

const added = (one: TurnoverSum, other: TurnoverSum, sign: 1 | -1): TurnoverSum => ({
  currency: one.currency,
  requested: one.requested + sign * other.requested,
  payments: one.payments + sign * other.payments,
  captured: one.captured + sign * other.captured,
  refunds: one.refunds + sign * other.refunds,
  refunded: one.refunded + sign * other.refunded,
  fees: one.fees + sign * other.fees,
})

const isNothing = ({ currency: _, ...sums }: TurnoverSum): boolean =>
  Object.values(sums).every((value) => value === 0)

export const turnoverQueries = (db: BetterSQLite3Database) => {
  const { merchant, posId, span, since, currency } = turnover
  const sumOf = (name: keyof typeof nothing) => sql<number>`sum(${turnover[name]})`.as(name)
  const sums = {
    currency,
    requested: sumOf('requested'),
    payments: sumOf('payments'),
    captured: sumOf('captured'),
    refunds: sumOf('refunds'),
    refunded: sumOf('refunded'),
    fees: sumOf('fees'),
  }
  const isOfPos = sql`${posId} in (select value from json_each(${param('posIds')}))`
  const isWithin = [gte(since, param('start')), lt(since, param('end'))]
  const inSpan = columnsOf(db, turnover, {
    columns: sums,
    where: [same(merchant), isOfPos, same(span), ...isWithin],
    group: currency,
  })
  return {
    /** Turnover of some points of sale, or of all together, between two instants, by currency. */
    between: (
      of: { readonly merchant: string; readonly posIds: readonly string[] },
      start: Instant,
      end: Instant,
    ): readonly TurnoverSum[] => {
      const sums = new Map<string, TurnoverSum>()
      const places = { merchant: of.merchant, posIds: JSON.stringify(of.posIds) }
      for (const { sign, ...part } of partsOf(start, end, turnoverSpans, true))
        for (const row of inSpan.all({ ...places, ...part }))
          sums.set(
            row.currency,
            added(sums.get(row.currency) ?? { currency: row.currency, ...nothing }, row, sign),
          )
      const some = [...sums.values()].filter((sum) => !isNothing(sum))
      return some.sort((one, other) => (one.currency < other.currency ? -1 : 1))
    },
  }
}
