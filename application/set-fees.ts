import { termsInForce, type FeeSchedule, type FeeTerms } from '../domain/accounting/fees.ts'
import { shippedTaxcode, type Taxcode } from '../domain/accounting/taxcodes.ts'
import { feeSchedules, merchants, taxcodesOfOperator } from '../domain/aggregates.ts'
import type { Currency } from '../domain/money/currency.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'

/** Absent members keep their value at that time. */
export type FeeChange = {
  readonly from: Instant
  /** The merchant's own by default. */
  readonly currency?: Currency | undefined
  readonly terms: { readonly [Name in keyof FeeTerms]?: FeeTerms[Name] | undefined }
}

export type FeePlan = {
  readonly schedule: FeeSchedule
  /** The terms that would apply without it. */
  readonly before: FeeTerms
  /** Schedules already set for later, earliest first. */
  readonly later: readonly FeeSchedule[]
  /** How many schedules there are. */
  readonly count: number
}

/** The existing tax codes, with rates as a schedule stores them. */
export const taxcodesKnown = async ({
  find,
}: {
  readonly find: Find
}): Promise<readonly (Pick<FeeTerms, 'taxcode' | 'vat'> & { readonly about: Taxcode })[]> =>
  (await find(taxcodesOfOperator, 'operator')).map((about) => ({
    taxcode: about.code,
    about,
    vat: about.code === shippedTaxcode.code ? undefined : about.vat,
  }))

/** The complete schedule that a merchant would get. @throws Refusal resource_is_unknown */
export const planFees =
  ({ find }: { readonly find: Find }) =>
  async (id: string, { from, terms, ...change }: FeeChange): Promise<FeePlan> => {
    const merchant = await find(merchants, id)
    if (merchant.status !== 'present') return refuse('resource_is_unknown')
    const own = merchant.data.currency
    const currency = change.currency ?? own
    const schedules = await find(feeSchedules, id, 'log')
    const before = termsInForce(schedules, currency, own, from)
    const { vat } = terms.taxcode === undefined ? before : terms
    const schedule: FeeSchedule = {
      from,
      currency,
      transactionRate: terms.transactionRate ?? before.transactionRate,
      transactionFixed: terms.transactionFixed ?? before.transactionFixed,
      interchangeRate: terms.interchangeRate ?? before.interchangeRate,
      permissionFixed: terms.permissionFixed ?? before.permissionFixed,
      settlementFixed: terms.settlementFixed ?? before.settlementFixed,
      taxcode: terms.taxcode ?? before.taxcode,
      ...(vat && { vat }),
      refundsReturnFees: terms.refundsReturnFees ?? before.refundsReturnFees,
    }
    const later = schedules
      .filter((one) => one.currency === currency && one.from > from)
      .toSorted((one, other) => one.from - other.from)
    return { schedule, before, later, count: schedules.length }
  }

/**
 * `seen`: the count of the displayed plan. @throws Refusal fees_are_malformed, conflicting_changes
 */
export const setFees =
  ({ handle }: { readonly handle: Handle }) =>
  async (id: string, schedule: FeeSchedule, context: Context, seen?: number): Promise<void> => {
    await handle(feeSchedules, id, { type: 'ScheduleFees', schedule, seen }, context)
  }
