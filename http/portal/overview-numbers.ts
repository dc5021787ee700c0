import { pointsOfSaleOf } from '../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../domain/time.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import type { PortalVisitor } from './page.ts'

/** What was taken in some time. */
export type Taken = {
  readonly payments: number
  readonly captured: number
  readonly refunds: number
  readonly refunded: number
  readonly fees: number
}

type OfCurrency = Taken & { readonly currency: string }

export type TurnoverNeeds = {
  /** Of a point of sale, or of all together, by currency. */
  readonly turnoverBetween: (
    of: { readonly merchant: string; readonly posId: string },
    start: Instant,
    end: Instant,
  ) => readonly OfCurrency[]
  /** The first instants of the last days of a time zone, and of tomorrow. */
  readonly dayStarts: (timeZone: string, at: Instant, days: number) => readonly Instant[]
  /** Those that are registered, oldest first. */
  readonly posOf: (merchant: string) => readonly { readonly id: string; readonly name: string }[]
}

/** One currency of the last thirty days. */
export type Numbers = {
  readonly currency: string
  readonly days: readonly (Taken & { readonly from: Instant; readonly to: Instant })[]
  readonly pointsOfSale: readonly (Taken & { readonly posId: string })[]
  readonly today: Taken
  readonly total: Taken
  /** Of as many days before. */
  readonly before: Taken
}

export const daysShown = 30
/** Further points of sale are in the totals. */
const posShown = 100

const nothing: Taken = { payments: 0, captured: 0, refunds: 0, refunded: 0, fees: 0 }

export const isNothing = ({ payments, captured, refunds, fees }: Taken): boolean =>
  payments === 0 && captured === 0 && refunds === 0 && fees === 0

const plus = (one: Taken, other: Taken): Taken => ({
  payments: one.payments + other.payments,
  captured: one.captured + other.captured,
  refunds: one.refunds + other.refunds,
  refunded: one.refunded + other.refunded,
  fees: one.fees + other.fees,
})

const sumOf = (rows: readonly Taken[]): Taken => rows.reduce(plus, nothing)

/** The numbers of each currency, that of the merchant first; a cashier's are of some POSes. */
export const numbersFor = (
  { turnoverBetween, dayStarts, posOf }: TurnoverNeeds,
  { shop, me }: PortalVisitor,
  at: Instant,
): readonly [Numbers, ...Numbers[]] => {
  const { merchant, currency: own, timeZone } = shop
  const theirs = pointsOfSaleOf(me.terms)
  const rowsOf = (start: Instant, end: Instant) =>
    (theirs ?? [allPointsOfSale]).flatMap((posId) =>
      turnoverBetween({ merchant, posId }, start, end),
    )
  const starts = dayStarts(timeZone, at, 2 * daysShown)
  const shown = starts.slice(-daysShown - 1)
  const [first = 0, last = 0] = [shown[0], shown.at(-1)]
  const days = shown.slice(0, -1).map((from, index) => {
    const to = shown[index + 1] ?? from
    return { from, to, rows: rowsOf(from, to) }
  })
  const before = rowsOf(starts[0] ?? 0, first)
  const all = days.flatMap(({ rows }) => rows)
  const byPos = (theirs ?? posOf(merchant).map(({ id }) => id)).slice(0, posShown).map((posId) => ({
    posId,
    rows: turnoverBetween({ merchant, posId }, first, last),
  }))
  const numbersOf = (currency: string): Numbers => {
    const of = (rows: readonly OfCurrency[]) => rows.filter((row) => row.currency === currency)
    return {
      currency,
      days: days.map(({ from, to, rows }) => ({ from, to, ...sumOf(of(rows)) })),
      pointsOfSale: byPos
        .map(({ posId, rows }) => ({ posId, ...sumOf(of(rows)) }))
        .filter((taken) => !isNothing(taken))
        .sort((one, other) => other.captured - one.captured),
      today: sumOf(of(days.at(-1)?.rows ?? [])),
      total: sumOf(of(all)),
      before: sumOf(of(before)),
    }
  }
  const others = [...new Set(all.map(({ currency }) => currency))].filter((one) => one !== own)
  return [numbersOf(own), ...others.map(numbersOf)]
}
