import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { isNothing, type MinorUnits, type Pots } from '../../../domain/money/money.ts'
import {
  available,
  refundable,
  type RequestedPayment,
} from '../../../domain/payment/payment-state.ts'
import type { PortalVisitor } from '../page.tsx'
import type { PaymentAct } from '../../../application/payment-acts.ts'
import { countItems } from '../../../domain/chunked-list.ts'
import { typedAmount } from '../../ui/money.tsx'

export const paymentActions = ['capture', 'release', 'renew', 'refund'] as const

export type PaymentAction = (typeof paymentActions)[number]

/** Whether it can be done with a part of the amount. */
export const isPart = (action: PaymentAction): action is 'capture' | 'refund' =>
  action === 'capture' || action === 'refund'

export const isPossible = (action: PaymentAction, payment: RequestedPayment): boolean => {
  const { status } = payment
  switch (action) {
    case 'capture':
    case 'renew':
      return status === 'auth'
    case 'release':
      return status === 'auth' || status === 'pending'
    case 'refund':
      return !isNothing(refundable(payment))
  }
}

/** What somebody can do with a payment now, as their role allows. */
export const possibleActions = (
  { me }: Pick<PortalVisitor, 'me'>,
  payment: RequestedPayment,
): readonly PaymentAction[] =>
  paymentActions.filter((action) => mayDo(me.terms, action) && isPossible(action, payment))

/** What somebody wants done with a payment, as typed. */
export type Typed = {
  readonly amount: string | null
  readonly additional: string | null
  /** The total that the form had; then `amount` is a total too, and an empty tip is left to us. */
  readonly of: string | null
  readonly reason: string
}

/** All that can be captured or refunded. */
export const wholeOf = (action: PaymentAction, payment: RequestedPayment): Pots =>
  action === 'refund' ? refundable(payment) : available(payment)

/** An amount that the form offers. */
export type Choice = { readonly name: 'allLeft' | 'half' | LineItem; readonly pots: Pots }

type LineItem = RequestedPayment['details']['lineItems'][number]

/** Items that a refund offers one by one. */
const mostItems = 20

/** All that is left, and half of it, rounded down; of what was bought, each item without tip. */
export const choicesOf = (action: PaymentAction, payment: RequestedPayment): readonly Choice[] => {
  if (!isPart(action)) return []
  const whole = wholeOf(action, payment)
  const halved = (minor: MinorUnits): MinorUnits => Math.floor(minor / 2)
  const half = { amount: halved(whole.amount), additionalAmount: halved(whole.additionalAmount) }
  const { lineItems } = payment.details
  const items = action === 'refund' && lineItems.length > 1 ? lineItems.slice(0, mostItems) : []
  const choices: readonly Choice[] = [
    { name: 'allLeft', pots: whole },
    { name: 'half', pots: half },
    ...items
      .filter(({ total }) => total > 0 && total <= whole.amount)
      .map((item) => ({ name: item, pots: { amount: item.total, additionalAmount: 0 } })),
  ]
  return choices.filter(({ pots }) => !isNothing(pots))
}

/** A total as typed: with its tip where it is the whole, else of the goods as far as they go. */
const potsOfTotal = (
  whole: Pots,
  currency: string,
  { amount, additional, of }: Typed,
): Pots | undefined => {
  const [total, before] = [amount, of].map((text) => typedAmount(text ?? '', currency))
  if (total === undefined) return undefined
  // What is more than all of it is too much of the goods, with whose words it is refused.
  const behind = Math.min(Math.max(0, total - whole.amount), whole.additionalAmount)
  const rest = total === before ? whole.additionalAmount : behind
  const tip = additional?.trim() ? typedAmount(additional, currency) : rest
  if (tip === undefined || tip > total) return undefined
  return { amount: total - tip, additionalAmount: tip }
}

/** All of it, unless something else was typed; undefined for what is no amount. */
export const requestedPots = (
  action: PaymentAction,
  payment: RequestedPayment,
  typed: Typed,
): Pots | undefined => {
  const { amount, additional, of } = typed
  const { currency } = payment.request
  const whole = wholeOf(action, payment)
  if (of !== null) return potsOfTotal(whole, currency, typed)
  const read = (text: string | null, none: number) =>
    text === null ? none : typedAmount(text, currency)
  const goods = read(amount, whole.amount)
  const added = read(additional, amount === null ? whole.additionalAmount : 0)
  if (goods === undefined || added === undefined) return undefined
  return { amount: goods, additionalAmount: added }
}

/**
 * Names the state in which a form was made, and with it what the form may do: forms of the same
 * state, in whatever tab, do it once.
 */
export const stateMark = (
  derive: (...parts: readonly (string | number)[]) => string,
  tid: string,
  action: PaymentAction,
  payment: RequestedPayment,
): string => {
  const { status, captures, refunds, captured, released, refunded, disputed, expiresAt } = payment
  const counts = [countItems(captures), countItems(refunds)]
  const sums = [captured, released, refunded, disputed].flatMap(({ amount, additionalAmount }) => [
    amount,
    additionalAmount,
  ])
  const parts = ['portal', tid, action, status, ...counts, ...sums, expiresAt]
  return derive(...parts).slice(0, 22)
}

/** The id of the capture or refund of a form. */
export const partIdOf = (mark: string): string => `portal-${mark}`

export const actOf = (
  action: PaymentAction,
  pots: Pots,
  { currency, mark, reason }: Readonly<Record<'currency' | 'mark' | 'reason', string>>,
): PaymentAct => {
  const wanted = { id: partIdOf(mark), currency, ...pots }
  switch (action) {
    case 'capture':
      return { type: 'CapturePayment', wanted }
    case 'refund':
      return { type: 'RefundPayment', wanted, text: reason === '' ? null : reason }
    case 'release':
      return { type: 'ReleasePayment' }
    case 'renew':
      return { type: 'RenewPayment' }
  }
}
