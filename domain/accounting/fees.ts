import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import type { Currency } from '../money/currency.ts'
import {
  type MinorUnits,
  add,
  subtract,
  type Pots,
  portionOf,
  ratePattern,
  shareOf,
} from '../money/money.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'
import { instant, type Instant } from '../time.ts'
import {
  shippedTaxcode,
  taxcodePattern,
  vatRateOf,
  vatRates,
  type Charged,
  type VatRates,
} from './taxcodes.ts'

export const vatOn = (
  charged: Charged,
  fee: MinorUnits,
  taxcode: string,
  vat?: VatRates,
): MinorUnits => portionOf(fee, vatRateOf(charged, taxcode, vat))

const rate = z.string().regex(ratePattern)

const fixed = z.int().nonnegative()

const feeTerms = z.object({
  transactionRate: rate,
  /** All fixed fees are minor units of the schedule's currency. */
  transactionFixed: fixed,
  interchangeRate: rate,
  permissionFixed: fixed,
  settlementFixed: fixed,
  taxcode: z.string().regex(taxcodePattern),
  /** VAT rates when the fees were set; absent for the shipped tax code. */
  vat: vatRates.optional(),
  refundsReturnFees: z.boolean(),
})

/** A merchant's terms for one currency from an instant on. */
const feeSchedule = feeTerms.extend({ from: instant, currency: z.string() })

export const feeEvents = { FeesScheduled: feeSchedule } as const

export type FeeTerms = z.output<typeof feeTerms>

export type FeeSchedule = z.output<typeof feeSchedule>

type FeeEvent = EventsOf<typeof feeEvents>

/** In the order in which they were set. */
export type FeeSchedules = readonly FeeSchedule[]

type FeeCommand = {
  readonly type: 'ScheduleFees'
  readonly schedule: FeeSchedule
  /** The number of schedules the caller saw, to detect concurrent changes. */
  readonly seen?: number | undefined
}

export const noFees: FeeTerms = {
  transactionRate: '0',
  transactionFixed: 0,
  interchangeRate: '0',
  permissionFixed: 0,
  settlementFixed: 0,
  taxcode: shippedTaxcode.code,
  refundsReturnFees: false,
}

/** The schedule in force; of equal dates, the one set last. */
const latestOf = (schedules: FeeSchedules, currency: Currency, at: Instant) => {
  let latest: FeeSchedule | undefined
  for (const schedule of schedules)
    if (schedule.currency === currency && schedule.from <= at)
      if (!latest || schedule.from >= latest.from) latest = schedule
  return latest
}

/**
 * The terms for a currency at an instant. Without a schedule, the rates of the merchant's own
 * currency apply, but no fixed fees: their amounts mean nothing in another currency.
 */
export const termsInForce = (
  schedules: FeeSchedules,
  currency: Currency,
  ownCurrency: Currency,
  at: Instant,
): FeeTerms => {
  const set = latestOf(schedules, currency, at)
  if (set) return set
  const own = latestOf(schedules, ownCurrency, at)
  return own ? { ...own, transactionFixed: 0, permissionFixed: 0, settlementFixed: 0 } : noFees
}

/** A merchant's fees. A schedule applies to what is captured after it was set. */
export const fees: Decider<FeeCommand, FeeEvent, FeeSchedules> = {
  initial: [],
  decide({ schedule, seen }, schedules) {
    if (!feeSchedule.safeParse(schedule).success) return refuse('fees_are_malformed')
    const { from, currency } = schedule
    const latest = schedules.findLast((other) => other.from === from && other.currency === currency)
    if (jsonEquals(latest, schedule)) return []
    if (seen !== undefined && seen !== schedules.length) return refuse('conflicting_changes')
    return [{ type: 'FeesScheduled', data: schedule }]
  },
  evolve: (schedules, { data }) => [...schedules, data],
}

/** What a line costs the merchant, in minor units. Rounded only here, so that totals add up. */
export const charge = z.object({
  /** For a transaction or a permission; negative when a refund returns it. */
  fee: z.int(),
  interchange: z.int(),
  vat: z.int(),
  taxcode: z.string().regex(taxcodePattern),
})

export type Charge = z.output<typeof charge>

/** Whether the sum of both pots is too large to be exact. */
export const isTooLarge = ({ amount, additionalAmount }: Pots): boolean =>
  !Number.isSafeInteger(amount + additionalAmount)

/** Both pots together. @throws Refusal when the sum is not exact */
export const grossOf = ({ amount, additionalAmount }: Pots): MinorUnits => {
  const gross = amount + additionalAmount
  return Number.isSafeInteger(gross) ? gross : refuse('amount_is_too_large')
}

/** A rate of the gross plus a fixed fee, and interchange for credit. */
export const chargeFor = (captured: Pots, isCredit: boolean, terms: FeeTerms): Charge => {
  const gross = grossOf(captured)
  const { taxcode, vat } = terms
  const fee = portionOf(gross, terms.transactionRate, terms.transactionFixed)
  const interchange = isCredit ? portionOf(gross, terms.interchangeRate) : 0
  return { fee, interchange, vat: vatOn('transaction', fee, taxcode, vat), taxcode }
}

export const chargeForPermission = ({ permissionFixed: fee, taxcode, vat }: FeeTerms): Charge => ({
  fee,
  interchange: 0,
  vat: vatOn('permission', fee, taxcode, vat),
  taxcode,
})

/** The operator sets the fee of each dispute; a dispute that is won gives none back. */
export const chargeForDispute = (fee: MinorUnits, { taxcode, vat }: FeeTerms): Charge => ({
  fee,
  interchange: 0,
  vat: vatOn('transaction', fee, taxcode, vat),
  taxcode,
})

export type Sums = Pick<Charge, 'fee' | 'interchange' | 'vat'>

/** Running sums, as positive numbers. */
export type RefundBasis = {
  readonly charged: Sums
  readonly captured: Pots
  readonly returned: Sums
  readonly refundedWithFees: Pots
}

/**
 * Fees come back only if the terms say so, in proportion to what was captured. The share is
 * computed over all such refunds together, so a full refund leaves no charge and no rounding
 * remainder.
 */
export const chargeForRefund = (
  pots: Pots,
  { charged, captured, returned, refundedWithFees: refunded }: RefundBasis,
  { taxcode, refundsReturnFees }: FeeTerms,
): Charge => {
  const part = grossOf({
    amount: add(refunded.amount, pots.amount),
    additionalAmount: add(refunded.additionalAmount, pots.additionalAmount),
  })
  const whole = grossOf(captured)
  const returning = (name: keyof Sums): MinorUnits => {
    if (!refundsReturnFees) return 0
    const more = subtract(shareOf(charged[name], part, whole), returned[name])
    return more > 0 ? -more : 0
  }
  return {
    fee: returning('fee'),
    interchange: returning('interchange'),
    vat: returning('vat'),
    taxcode,
  }
}
