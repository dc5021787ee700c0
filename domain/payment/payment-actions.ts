import { chargeFor, chargeForRefund, type Charge } from '../accounting/fees.ts'
import { isNothing, plus, potsOf, samePots, type Pots } from '../money/money.ts'
import { countItems, findItem, type ChunkedList } from '../chunked-list.ts'
import { holding, refuse, refuseFor, type RefusalCode } from '../refusal.ts'
import { authorizationLifetime, secondsAfter, type Instant } from '../time.ts'
import type { PaymentCommand, RequestedAmounts } from './payment-command.ts'
import type { PaymentEvent } from './payment-events.ts'
import { available, refundable, type Part, type RequestedPayment } from './payment-state.ts'

/** Maximum number of captures, and of refunds, per payment: every outcome lists all of them. */
export const maxParts = 10_000

const isOpen = (payment: RequestedPayment, at: Instant): boolean =>
  (payment.status === 'pending' || payment.status === 'auth') && at < payment.expiresAt

const idOf = (requested: RequestedAmounts): string | null =>
  requested === 'everything' ? null : requested.id

/**
 * Repeats are recognised before the state is checked (interface 4.3); without an id, by amounts.
 */
const repeats = (
  requested: RequestedAmounts,
  accepted: ChunkedList<Part>,
  currency: string,
): 'not' | 'same' | 'other' => {
  const requestedId = idOf(requested)
  const isSame = (earlier: Part) =>
    requested === 'everything' || (requested.currency === currency && samePots(requested, earlier))
  const withSameId = ({ id }: Part) => id === requestedId
  if (requestedId === null)
    return findItem(accepted, (part) => withSameId(part) && isSame(part)) ? 'same' : 'not'
  const earlier = findItem(accepted, withSameId)
  if (!earlier) return 'not'
  return isSame(earlier) ? 'same' : 'other'
}

const requestedPots = (requested: RequestedAmounts, everything: Pots, currency: string): Pots => {
  if (requested === 'everything') return everything
  return requested.currency === currency
    ? potsOf(requested)
    : refuse('currency_differs_from_payment')
}

const exceeds = (pots: Pots, left: Pots): boolean =>
  pots.amount > left.amount || pots.additionalAmount > left.additionalAmount

const excessOfCapture = ({ amount = 0, additionalAmount = 0 }: Partial<Pots>, left: Pots) =>
  holding({
    capture_exceeds_authorization: amount > left.amount,
    capture_exceeds_additional_amount: additionalAmount > left.additionalAmount,
  })

const excessOfRefund = ({ amount = 0, additionalAmount = 0 }: Partial<Pots>, left: Pots) =>
  holding({
    refund_exceeds_captures: amount > left.amount,
    refund_exceeds_additional_amount: additionalAmount > left.additionalAmount,
  })

/** The known fields of a requested part; its pots are in the payment's currency. */
export type KnownPart = Partial<Pots> & { readonly id?: string | null | undefined }

/** What is wrong with a capture or refund, as far as known; nothing if it is a repeat. */
export const faultsOfPart = (
  type: 'capture' | 'refund',
  { id, ...pots }: KnownPart,
  payment: RequestedPayment,
  at: Instant,
): readonly RefusalCode[] => {
  const isCapture = type === 'capture'
  const accepted: ChunkedList<Part> = isCapture ? payment.captures : payment.refunds
  if (id != null && findItem(accepted, (part) => part.id === id)) return []
  if (!isCapture) {
    if (isNothing(payment.captured)) return ['nothing_is_captured']
    return excessOfRefund(pots, refundable(payment))
  }
  const isCapturable = payment.status === 'auth' && isOpen(payment, at)
  return isCapturable ? excessOfCapture(pots, available(payment)) : []
}

const chargeOf = (parts: ChunkedList<Part>, sign: 1 | -1) => {
  const sum = (name: 'fee' | 'interchange' | 'vat') =>
    parts
      .flat()
      .reduce((total, { charge }: { readonly charge: Charge }) => total + sign * charge[name], 0)
  return { fee: sum('fee'), interchange: sum('interchange'), vat: sum('vat') }
}

export const decideCapture = (
  { at, wanted, terms }: Extract<PaymentCommand, { type: 'CapturePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const repeated = repeats(wanted, payment.captures, payment.request.currency)
  if (repeated === 'same') return []
  if (repeated === 'other') return refuse('capture_id_used_with_other_amounts')
  if (payment.status === 'ok') return refuse('nothing_is_left_to_capture')
  if (payment.status !== 'auth' || !isOpen(payment, at)) return refuse('payment_is_not_authorized')
  const left = available(payment)
  const pots = requestedPots(wanted, left, payment.request.currency)
  if (exceeds(pots, left)) refuseFor(excessOfCapture(pots, left))
  if (isNothing(pots)) return refuse('capture_is_nothing')
  if (idOf(wanted) === null && !samePots(pots, left)) return refuse('capture_id_is_missing')
  if (countItems(payment.captures) >= maxParts) return refuse('captures_are_too_many')
  const isCredit = payment.answer?.type === 'accepted' && payment.answer.credit
  const charge = chargeFor(pots, isCredit, terms)
  return [{ type: 'PaymentCaptured', data: { captureId: idOf(wanted), ...pots, charge } }]
}

export const decideRelease = (
  { at }: Extract<PaymentCommand, { type: 'ReleasePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.endedByMerchant) return []
  if (!isOpen(payment, at)) return refuse('payment_is_not_releasable')
  if (payment.status === 'pending') return [{ type: 'PaymentAborted', data: {} }]
  return [{ type: 'PaymentReleased', data: available(payment) }]
}

export const decideRenewal = (
  { at }: Extract<PaymentCommand, { type: 'RenewPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.status !== 'auth' || !isOpen(payment, at)) return refuse('payment_is_not_authorized')
  // Clocks of nodes differ slightly; a renewal must never shorten the deadline.
  const expiresAt = Math.max(secondsAfter(at, authorizationLifetime), payment.expiresAt)
  if (payment.isRenewed && expiresAt === payment.expiresAt) return []
  return [{ type: 'PaymentRenewed', data: { expiresAt } }]
}

export const decideRefund = (
  { wanted, text, terms }: Extract<PaymentCommand, { type: 'RefundPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const left = refundable(payment)
  const repeated = repeats(wanted, payment.refunds, payment.request.currency)
  const isForEverythingLeft =
    idOf(wanted) === null && (wanted === 'everything' || samePots(wanted, left)) && !isNothing(left)
  // After everything is refunded and more is captured, the same request refunds the rest.
  if (repeated === 'same' && !isForEverythingLeft) return []
  if (repeated === 'other') return refuse('refund_id_used_with_other_amounts')
  if (isNothing(payment.captured)) return refuse('nothing_is_captured')
  const pots = requestedPots(wanted, left, payment.request.currency)
  if (!exceeds(pots, plus(left, payment.disputed)) && exceeds(pots, left))
    return refuse('amount_is_disputed')
  if (exceeds(pots, left)) refuseFor(excessOfRefund(pots, left))
  if (isNothing(pots)) return refuse('refund_is_nothing')
  if (idOf(wanted) === null && !isForEverythingLeft) return refuse('refund_id_is_missing')
  if (countItems(payment.refunds) >= maxParts) return refuse('refunds_are_too_many')
  const { captured, refundedWithFees, captures, refunds } = payment
  const basis = {
    captured,
    refundedWithFees,
    charged: chargeOf(captures, 1),
    returned: chargeOf(refunds, -1),
  }
  const charge = chargeForRefund(pots, basis, terms)
  const { refundsReturnFees: returnsFees } = terms
  const data = { refundId: idOf(wanted), ...pots, text, charge, returnsFees }
  return [{ type: 'PaymentRefunded', data }]
}

export const decideExpiry = (
  { at }: Extract<PaymentCommand, { type: 'ExpirePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { expiresAt: expiredAt } = payment
  if (at < expiredAt) return []
  if (payment.status === 'pending') return [{ type: 'PaymentExpired', data: { expiredAt } }]
  if (payment.status !== 'auth') return []
  return [{ type: 'PaymentAuthorizationExpired', data: { expiredAt, ...available(payment) } }]
}
