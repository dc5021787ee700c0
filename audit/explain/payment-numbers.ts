import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount, type MinorUnits } from '../../domain/money/money.ts'
import { nothing, plus, type Pots } from '../../domain/money/pots.ts'
import { outcomeAt } from '../../domain/payment/payment-outcome.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Instant } from '../../domain/time.ts'

/** The numbers of a payment by their names in its outcome, in minor units. */
export type PaymentNumbers = Readonly<Record<string, MinorUnits>>

const pair = (name: string, { amount, additionalAmount }: Pots): PaymentNumbers => ({
  [`${name}amount`]: amount,
  [`${name}additional_amount`]: additionalAmount,
})

const together = (parts: readonly Pots[]): Pots => parts.reduce(plus, nothing)

export const numbersOfPayment = (payment: RequestedPayment, at: Instant): PaymentNumbers => {
  const outcome = outcomeAt('', payment, at)
  const [captures, refunds] = [outcome.captures.flat(), outcome.refunds.flat()]
  const charged = (name: 'fee' | 'interchange' | 'vat'): MinorUnits =>
    [...captures, ...refunds].reduce((sum, { charge }) => sum + charge[name], 0)
  return {
    ...pair('', outcome),
    ...pair('auth_', outcome.available),
    ...pair('captured_', together(captures)),
    ...pair('released_', outcome.released),
    ...pair('refunded_', together(refunds)),
    transaction_fee: charged('fee'),
    interchange_fee: charged('interchange'),
    vat: charged('vat'),
  }
}

/** `auth_amount 60.00, captured_amount 40.00`: those that are not zero. */
export const numbersInWords = (numbers: PaymentNumbers, currency: Currency): string =>
  Object.entries(numbers)
    .filter(([, minor]) => minor !== 0)
    .map(([name, minor]) => `${name} ${formatAmount(minor, currency)}`)
    .join(', ')
