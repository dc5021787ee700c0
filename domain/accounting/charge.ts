import { z } from 'zod'
import { add, subtract, type MinorUnits } from '../money/money.ts'
import type { Pots } from '../money/pots.ts'
import { portionOf, shareOf } from '../money/rate.ts'
import { refuse } from '../refusal.ts'
import { vatOn, type FeeTerms } from './fees.ts'
import { taxcodePattern } from './taxcodes.ts'

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

type Sums = Pick<Charge, 'fee' | 'interchange' | 'vat'>

/** Running sums, as positive numbers. */
type RefundBasis = {
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
