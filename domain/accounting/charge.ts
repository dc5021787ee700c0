import { z } from 'zod'
import { add, subtract, type MinorUnits } from '../money/money.ts'
import type { Pots } from '../money/pots.ts'
import { portionOf, shareOf } from '../money/rate.ts'
import { refuse } from '../refusal.ts'
import { vatOn, type FeeTerms } from './fees.ts'
import { taxcodePattern } from './taxcodes.ts'

/** What a line costs the merchant, in minor units: rounded once, here, so that every total can be added up again. */
export const charge = z.object({
  /** For a transaction, or for a permission; below zero when a refund gives some of it back. */
  fee: z.int(),
  interchange: z.int(),
  vat: z.int(),
  taxcode: z.string().regex(taxcodePattern),
})

export type Charge = z.output<typeof charge>

/** Everything that a capture or refund moves: both pots. @throws Refusal when it is beyond what can be counted exactly */
export const grossOf = ({ amount, additionalAmount }: Pots): MinorUnits => {
  const gross = amount + additionalAmount
  return Number.isSafeInteger(gross) ? gross : refuse('amount_is_too_large')
}

/** The charge for a capture: a rate of the gross and a fixed part; interchange when the payment is credit. */
export const chargeFor = (captured: Pots, isCredit: boolean, terms: FeeTerms): Charge => {
  const gross = grossOf(captured)
  const { taxcode, vat } = terms
  const fee = portionOf(gross, terms.transactionRate, terms.transactionFixed)
  const interchange = isCredit ? portionOf(gross, terms.interchangeRate) : 0
  return { fee, interchange, vat: vatOn('transaction', fee, taxcode, vat), taxcode }
}

/** The charge for a permission request that was answered. */
export const chargeForPermission = ({ permissionFixed: fee, taxcode, vat }: FeeTerms): Charge => ({
  fee,
  interchange: 0,
  vat: vatOn('permission', fee, taxcode, vat),
  taxcode,
})

type Sums = Pick<Charge, 'fee' | 'interchange' | 'vat'>

/** What has been charged and captured so far, and given back, and refunded with it, so far: all counted positively. */
type RefundBasis = {
  readonly charged: Sums
  readonly captured: Pots
  readonly returned: Sums
  readonly refundedWithFees: Pots
}

/**
 * The charge for a refund: nothing comes back unless the terms say so. If they do, as much of what was charged as of
 * what was captured, reckoned over all refunds together whose terms said so, so that a full refund leaves no charge and
 * no remainder.
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
