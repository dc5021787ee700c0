import { nextTurn } from '../../application/time-budget.ts'
import { pointsOfSaleOf } from '../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../domain/time.ts'
import { dayIn, startOf, type TimeZone } from '../../domain/time-zone.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import { before, daysApart, edgesOf, sameTimeBefore, type Period } from './overview-period.tsx'
import type { PortalVisitor } from './page.tsx'

/** What was taken in some time. */
export type Taken = {
  readonly requested: number
  /** Paid: captured for the first time. */
  readonly payments: number
  readonly captured: number
  readonly refunds: number
  readonly refunded: number
  readonly fees: number
}

type OfCurrency = Taken & { readonly currency: string }

export type TurnoverNeeds = {
  /** Of points of sale, or of all together, by currency. */
  readonly turnoverBetween: (
    of: { readonly merchant: string; readonly posIds: readonly string[] },
    start: Instant,
    end: Instant,
  ) => readonly OfCurrency[]
  /** Those that are registered, oldest first. */
  readonly posOf: (merchant: string) => readonly { readonly id: string; readonly name: string }[]
}

/** A column of the charts. */
export type Column = Taken & {
  readonly from: Instant
  readonly to: Instant
  /** False for hours of today that are still to come. */
  readonly hasBegun: boolean
  /** The same column of the period before. */
  readonly before: Taken & { readonly from: Instant }
}

/** One currency of a period. */
export type Numbers = {
  readonly currency: string
  readonly columns: readonly Column[]
  readonly pointsOfSale: readonly (Taken & { readonly posId: string })[]
  readonly today: Taken
  readonly total: Taken
  /** Of the period before, until the same time of day. */
  readonly before: Taken
}

/** Further points of sale are in the totals. */
const posListed = 100

const columnsAtOnce = 30

const nothing: Taken = { requested: 0, payments: 0, captured: 0, refunds: 0, refunded: 0, fees: 0 }

export const isNothing = ({ payments, captured, refunds, fees }: Taken): boolean =>
  payments === 0 && captured === 0 && refunds === 0 && fees === 0

const plus = (one: Taken, other: Taken): Taken => ({
  requested: one.requested + other.requested,
  payments: one.payments + other.payments,
  captured: one.captured + other.captured,
  refunds: one.refunds + other.refunds,
  refunded: one.refunded + other.refunded,
  fees: one.fees + other.fees,
})

const sumOf = (rows: readonly Taken[]): Taken => rows.reduce(plus, nothing)

type Rows = readonly OfCurrency[]

/** What was taken in each column of a period and of the one before. */
const columnsOf = async (
  rowsOf: (start: Instant, end: Instant) => Rows,
  period: Period,
  timeZone: TimeZone,
  at: Instant,
) => {
  const edges = edgesOf(period, timeZone)
  const earlier = edgesOf(before(period), timeZone)
  const sameTime = sameTimeBefore(at, daysApart(period), timeZone)
  const columns = []
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const to = edges[index + 1] ?? from
    const [start = 0, end = 0] = earlier.slice(index)
    const hasBegun = from <= at
    columns.push({
      from,
      to,
      hasBegun,
      rows: rowsOf(from, to),
      before: { from: start, rows: rowsOf(start, Math.min(end, sameTime)) },
    })
    // Captures have their turn between the parts.
    if (index % columnsAtOnce === columnsAtOnce - 1) await nextTurn()
  }
  return columns
}

/** The numbers of each currency, that of the merchant first; a cashier's are of some POSes. */
export const numbersFor = async (
  { turnoverBetween, posOf }: TurnoverNeeds,
  { shop, me }: PortalVisitor,
  period: Period,
  at: Instant,
): Promise<readonly [Numbers, ...Numbers[]]> => {
  const { merchant, currency: own, timeZone } = shop
  const theirs = pointsOfSaleOf(me.terms)
  const rowsOf = (start: Instant, end: Instant): Rows =>
    turnoverBetween({ merchant, posIds: theirs ?? [allPointsOfSale] }, start, end)
  const columns = await columnsOf(rowsOf, period, timeZone, at)
  const [first, last] = [period.first, period.last + 1].map((day) => startOf(timeZone, day))
  const today = dayIn(timeZone, at)
  const todayRows = rowsOf(startOf(timeZone, today), startOf(timeZone, today + 1))
  const all = columns.flatMap(({ rows }) => rows)
  await nextTurn()
  const byPos = (theirs ?? posOf(merchant).map(({ id }) => id))
    .slice(0, posListed)
    .map((posId) => ({
      posId,
      rows: turnoverBetween({ merchant, posIds: [posId] }, first ?? 0, last ?? 0),
    }))
  const numbersOf = (currency: string): Numbers => {
    const of = (rows: Rows) => sumOf(rows.filter((row) => row.currency === currency))
    return {
      currency,
      columns: columns.map(({ rows, before: { from, rows: earlier }, ...column }) => ({
        ...column,
        ...of(rows),
        before: { from, ...of(earlier) },
      })),
      pointsOfSale: byPos
        .map(({ posId, rows }) => ({ posId, ...of(rows) }))
        .filter((taken) => !isNothing(taken))
        .sort((one, other) => other.captured - one.captured),
      today: of(todayRows),
      total: of(all),
      before: of(columns.flatMap((column) => column.before.rows)),
    }
  }
  const others = [...new Set(all.map(({ currency }) => currency))].filter((one) => one !== own)
  return [numbersOf(own), ...others.map(numbersOf)]
}
