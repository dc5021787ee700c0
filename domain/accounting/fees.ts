import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import type { Currency } from '../money/currency.ts'
import type { MinorUnits } from '../money/money.ts'
import { portionOf, ratePattern } from '../money/rate.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'
import type { Instant } from '../time.ts'
import {
  shippedTaxcode,
  taxcodePattern,
  vatRateOf,
  vatRates,
  type Charged,
  type VatRates,
} from './taxcodes.ts'

/** VAT on a fee, in minor units. */
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
  /** Minor units of the schedule's currency, as all fixed parts. */
  transactionFixed: fixed,
  interchangeRate: rate,
  permissionFixed: fixed,
  settlementFixed: fixed,
  taxcode: z.string().regex(taxcodePattern),
  /** What the code meant when the fees were set; absent under the one that comes with the service. */
  vat: vatRates.optional(),
  refundsReturnFees: z.boolean(),
})

/** The terms of a merchant for one currency from an instant on. */
const feeSchedule = feeTerms.extend({ from: z.int(), currency: z.string() })

export const feeEvents = { FeesScheduled: feeSchedule } as const

export type FeeTerms = z.output<typeof feeTerms>
export type FeeSchedule = z.output<typeof feeSchedule>
type FeeEvent = EventsOf<typeof feeEvents>

/** All schedules of a merchant, in the order in which they were set. */
export type FeeSchedules = readonly FeeSchedule[]

type FeeCommand = { readonly type: 'ScheduleFees'; readonly schedule: FeeSchedule }

/** A new merchant has no fees. */
export const noFees: FeeTerms = {
  transactionRate: '0',
  transactionFixed: 0,
  interchangeRate: '0',
  permissionFixed: 0,
  settlementFixed: 0,
  taxcode: shippedTaxcode.code,
  refundsReturnFees: false,
}

/** Of the latest date that has come; among equal dates, the one that was set last. */
const latestOf = (schedules: FeeSchedules, currency: Currency, at: Instant) => {
  let latest: FeeSchedule | undefined
  for (const schedule of schedules)
    if (schedule.currency === currency && schedule.from <= at)
      if (!latest || schedule.from >= latest.from) latest = schedule
  return latest
}

/**
 * The terms for a currency at an instant. Where none are set for it, the rates of the merchant's own currency hold; a
 * fixed part has no meaning in another currency, and is not charged there.
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

/** Fees of a merchant. What was charged stays as it was: a schedule counts for what is captured after it was set. */
export const fees: Decider<FeeCommand, FeeEvent, FeeSchedules> = {
  initial: [],
  decide({ schedule }, schedules) {
    if (!feeSchedule.safeParse(schedule).success) return refuse('fees_are_malformed')
    const { from, currency } = schedule
    const latest = schedules.findLast((one) => one.from === from && one.currency === currency)
    return jsonEquals(latest, schedule) ? [] : [{ type: 'FeesScheduled', data: schedule }]
  },
  evolve: (schedules, { data }) => [...schedules, data],
}
