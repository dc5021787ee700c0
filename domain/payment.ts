import { chargeFor, chargeForRefund, grossOf, type Charge } from './charge.ts'
import type { Decider } from './decider.ts'
import type { FeeTerms } from './fees.ts'
import type { Permissions } from './grant.ts'
import type {
  LineItem,
  PaymentDetails,
  PaymentEvent,
  PaymentRequest,
  RefusalOfFunds,
} from './payment-events.ts'
import {
  available,
  evolve,
  type Answer,
  type Part,
  type Payment,
  type RequestedPayment,
} from './payment-state.ts'
import { isNothing, minus, potsOf, samePots, type Pots } from './pots.ts'
import { refuse } from './refusal.ts'
import { sameJson } from './same.ts'
import { statusCodes } from './status.ts'
import { authorizationLifetime, secondsAfter, type Instant } from './time.ts'

/** What to capture or refund: all that is left, or a part that the merchant names and numbers. */
export type Wanted = 'everything' | (Pots & { readonly id: string; readonly currency: string })

/** Whom a customer identifier names: a payer, whoever scans a shortlink or comes along, or nobody. */
export type Customer =
  { readonly id: string } | { readonly shortlink: string } | 'anyone' | 'unknown'

/** Looked up before a request is decided: whom the customer names, and whether POS and ledger take new requests. */
export type RequestFacts = {
  readonly payer: Customer
  readonly posIsKnown: boolean
  readonly ledgerIsOpen: boolean
}

export type PaymentCommand =
  | {
      readonly type: 'RequestPayment'
      readonly at: Instant
      readonly request: PaymentRequest
      readonly facts: RequestFacts
    }
  | {
      readonly type: 'AmendPayment'
      readonly changes: Partial<PaymentDetails>
      readonly ledgerIsOpen: boolean
    }
  | {
      readonly type: 'PickUpPayment'
      readonly at: Instant
      readonly payer: string
      readonly scan: string
    }
  | {
      readonly type: 'AuthorizePayment'
      readonly at: Instant
      readonly payer: string
      /** Null leaves what the merchant asked for. */
      readonly additionalAmount: number | null
      readonly credit: boolean
      /** What the required scope of the request grants, with its tokens. */
      readonly permissions?: Permissions
    }
  | { readonly type: 'DeclinePayment'; readonly at: Instant; readonly payer: string }
  | {
      readonly type: 'RefuseFunds'
      readonly at: Instant
      readonly payer: string
      readonly statusCode: RefusalOfFunds
    }
  | {
      readonly type: 'CapturePayment'
      readonly at: Instant
      readonly wanted: Wanted
      readonly terms: FeeTerms
    }
  | { readonly type: 'ReleasePayment'; readonly at: Instant }
  | { readonly type: 'RenewPayment'; readonly at: Instant }
  | {
      readonly type: 'RefundPayment'
      readonly wanted: Wanted
      readonly text: string | null
      readonly terms: FeeTerms
    }
  | { readonly type: 'ExpirePayment'; readonly at: Instant }

const requested = (payment: Payment): RequestedPayment =>
  payment.status === 'unrequested' ? refuse('resource_is_unknown') : payment

const isOpen = (payment: RequestedPayment, at: Instant): boolean =>
  (payment.status === 'pending' || payment.status === 'auth') && at < payment.expiresAt

const idOf = (wanted: Wanted): string | null => (wanted === 'everything' ? null : wanted.id)

/** A repeated id is looked at before the state is (decisions 4, States). */
const repeats = (
  wanted: Wanted,
  accepted: readonly Part[],
  currency: string,
): 'not' | 'same' | 'other' => {
  const earlier = accepted.find(({ id }) => id === idOf(wanted))
  if (!earlier) return 'not'
  if (wanted === 'everything') return 'same'
  return wanted.currency === currency && samePots(wanted, earlier) ? 'same' : 'other'
}

const potsWanted = (wanted: Wanted, everything: Pots, currency: string): Pots => {
  if (wanted === 'everything') return everything
  return wanted.currency === currency ? potsOf(wanted) : refuse('currency_differs_from_payment')
}

/** The charges of captures or refunds together. */
const chargeOf = (parts: readonly Part[], sign: 1 | -1) => {
  const sum = (name: 'fee' | 'interchange' | 'vat') =>
    parts.reduce((total, { charge }: { readonly charge: Charge }) => total + sign * charge[name], 0)
  return { fee: sum('fee'), interchange: sum('interchange'), vat: sum('vat') }
}

const addsUp = (lineItems: readonly LineItem[], amount: number): boolean =>
  lineItems.length === 0 || lineItems.reduce((sum, { total }) => sum + total, 0) === amount

const decideRequest = (
  { at, request, facts }: Extract<PaymentCommand, { type: 'RequestPayment' }>,
  payment: Payment,
): readonly PaymentEvent[] => {
  if (payment.status !== 'unrequested')
    return sameJson(payment.request, request) ? [] : refuse('pos_tid_used_with_other_data')
  if (!facts.posIsKnown) return refuse('pos_is_unknown')
  if (!facts.ledgerIsOpen) return refuse('ledger_is_unknown')
  if (!addsUp(request.lineItems, request.amount)) return refuse('line_items_do_not_add_up')
  grossOf(request)
  const { payer: customer } = facts
  const payer = typeof customer === 'object' && 'id' in customer ? customer.id : null
  const expiresAt = secondsAfter(at, request.expiresIn)
  const data = { request, payer, expiresAt }
  if (typeof customer === 'object' && 'shortlink' in customer)
    return [{ type: 'PaymentRequested', data: { ...data, shortlink: customer.shortlink } }]
  const event: PaymentEvent = { type: 'PaymentRequested', data }
  if (facts.payer !== 'unknown') return [event]
  return [event, { type: 'PaymentFailed', data: { statusCode: statusCodes.NOT_FOUND } }]
}

const decidePickUp = (
  { at, payer, scan }: Extract<PaymentCommand, { type: 'PickUpPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.scan === scan) return []
  if (payment.payer !== null || payment.shortlink === undefined)
    return refuse('payment_is_picked_up')
  if (payment.status !== 'pending') return refuse('payment_is_not_pending')
  if (at >= payment.expiresAt) return refuse('payment_is_expired')
  return [{ type: 'PaymentPickedUp', data: { payer, scan } }]
}

type AnswerCommand = Extract<
  PaymentCommand,
  { type: 'AuthorizePayment' | 'DeclinePayment' | 'RefuseFunds' }
>

const answerOf = (command: AnswerCommand, request: PaymentRequest): Answer => {
  switch (command.type) {
    case 'AuthorizePayment': {
      const { credit, additionalAmount } = command
      return {
        type: 'accepted',
        additionalAmount: additionalAmount ?? request.additionalAmount,
        credit,
      }
    }
    case 'DeclinePayment':
      return { type: 'declined' }
    case 'RefuseFunds':
      return { type: 'failed', statusCode: command.statusCode }
  }
}

const decideAnswer = (
  command: AnswerCommand,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { request, payer, expiresAt } = payment
  const answer = answerOf(command, request)
  const isScanAwaited = payer === null && payment.shortlink !== undefined
  if (isScanAwaited && payment.status === 'pending') return refuse('payment_is_not_picked_up')
  if (payer !== null && payer !== command.payer) return refuse('payment_is_for_another_payer')
  if (payment.answer && sameJson(payment.answer, answer)) return []
  if (payment.status !== 'pending') return refuse('payment_is_not_pending')
  if (command.at >= expiresAt) return refuse('payment_is_expired')
  switch (answer.type) {
    case 'declined':
      return [{ type: 'PaymentDeclined', data: { payer: command.payer } }]
    case 'failed':
      return [{ type: 'PaymentFailed', data: { statusCode: answer.statusCode } }]
    case 'accepted': {
      const { additionalAmount, credit } = answer
      if (additionalAmount !== request.additionalAmount && !request.additionalEdit)
        return refuse('additional_amount_is_not_editable')
      if (credit && !request.allowCredit) return refuse('credit_is_not_allowed')
      grossOf({ amount: request.amount, additionalAmount })
      const until = secondsAfter(command.at, authorizationLifetime)
      const data = { payer: command.payer, additionalAmount, credit, expiresAt: until }
      const permissions = 'permissions' in command ? command.permissions : undefined
      return [{ type: 'PaymentAuthorized', data: permissions ? { ...data, permissions } : data }]
    }
  }
}

const decideCapture = (
  { at, wanted, terms }: Extract<PaymentCommand, { type: 'CapturePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const repeated = repeats(wanted, payment.captures, payment.request.currency)
  if (repeated === 'same') return []
  if (repeated === 'other') return refuse('capture_id_used_with_other_amounts')
  if (payment.status !== 'auth' || !isOpen(payment, at)) return refuse('payment_is_not_authorized')
  const left = available(payment)
  const pots = potsWanted(wanted, left, payment.request.currency)
  if (pots.amount > left.amount) return refuse('capture_exceeds_authorization')
  if (pots.additionalAmount > left.additionalAmount)
    return refuse('capture_exceeds_additional_amount')
  if (isNothing(pots)) return refuse('capture_is_nothing')
  const isCredit = payment.answer?.type === 'accepted' && payment.answer.credit
  const charge = chargeFor(pots, isCredit, terms)
  return [{ type: 'PaymentCaptured', data: { captureId: idOf(wanted), ...pots, charge } }]
}

const decideRelease = (
  { at }: Extract<PaymentCommand, { type: 'ReleasePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.endedByMerchant) return []
  if (!isOpen(payment, at)) return refuse('payment_is_not_releasable')
  if (payment.status === 'pending') return [{ type: 'PaymentAborted', data: {} }]
  return [{ type: 'PaymentReleased', data: available(payment) }]
}

const decideRenewal = (
  { at }: Extract<PaymentCommand, { type: 'RenewPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.status !== 'auth' || !isOpen(payment, at)) return refuse('payment_is_not_authorized')
  const expiresAt = secondsAfter(at, authorizationLifetime)
  // The clocks of two nodes differ a little: a renewal never shortens.
  if (expiresAt <= payment.expiresAt) return []
  return [{ type: 'PaymentRenewed', data: { expiresAt } }]
}

const decideRefund = (
  { wanted, text, terms }: Extract<PaymentCommand, { type: 'RefundPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const repeated = repeats(wanted, payment.refunds, payment.request.currency)
  if (repeated === 'same') return []
  if (repeated === 'other') return refuse('refund_id_used_with_other_amounts')
  if (isNothing(payment.captured)) return refuse('nothing_is_captured')
  const refundable = minus(payment.captured, payment.refunded)
  const pots = potsWanted(wanted, refundable, payment.request.currency)
  if (pots.amount > refundable.amount) return refuse('refund_exceeds_captures')
  if (pots.additionalAmount > refundable.additionalAmount)
    return refuse('refund_exceeds_additional_amount')
  if (isNothing(pots)) return refuse('refund_is_nothing')
  const { captured, refunded, captures, refunds } = payment
  const basis = {
    captured,
    refunded,
    charged: chargeOf(captures, 1),
    returned: chargeOf(refunds, -1),
  }
  const charge = chargeForRefund(pots, basis, terms)
  return [{ type: 'PaymentRefunded', data: { refundId: idOf(wanted), ...pots, text, charge } }]
}

const decideExpiry = (
  { at }: Extract<PaymentCommand, { type: 'ExpirePayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { expiresAt: expiredAt } = payment
  if (at < expiredAt) return []
  if (payment.status === 'pending') return [{ type: 'PaymentExpired', data: { expiredAt } }]
  if (payment.status !== 'auth') return []
  return [{ type: 'PaymentAuthorizationExpired', data: { expiredAt, ...available(payment) } }]
}

const decideAmendment = (
  { changes, ledgerIsOpen }: Extract<PaymentCommand, { type: 'AmendPayment' }>,
  { request, details }: RequestedPayment,
): readonly PaymentEvent[] => {
  const changed = { ...details, ...changes }
  if (sameJson(details, changed)) return []
  if (changed.ledger !== details.ledger && !ledgerIsOpen) return refuse('ledger_is_unknown')
  if (!addsUp(changed.lineItems, request.amount)) return refuse('line_items_do_not_add_up')
  return [{ type: 'PaymentAmended', data: changed }]
}

const decide = (command: PaymentCommand, payment: Payment): readonly PaymentEvent[] => {
  switch (command.type) {
    case 'RequestPayment':
      return decideRequest(command, payment)
    case 'AmendPayment':
      return decideAmendment(command, requested(payment))
    case 'PickUpPayment':
      return decidePickUp(command, requested(payment))
    case 'AuthorizePayment':
    case 'DeclinePayment':
    case 'RefuseFunds':
      return decideAnswer(command, requested(payment))
    case 'CapturePayment':
      return decideCapture(command, requested(payment))
    case 'ReleasePayment':
      return decideRelease(command, requested(payment))
    case 'RenewPayment':
      return decideRenewal(command, requested(payment))
    case 'RefundPayment':
      return decideRefund(command, requested(payment))
    case 'ExpirePayment':
      return decideExpiry(command, requested(payment))
  }
}

export const payment: Decider<PaymentCommand, PaymentEvent, Payment> = {
  initial: { status: 'unrequested' },
  decide,
  evolve,
}
