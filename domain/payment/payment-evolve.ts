import type { Place } from '../decider.ts'
import { memorySize } from '../memory-size.ts'
import { minus, nothing, plus, samePots } from '../money/pots.ts'
import { withItem } from '../chunked-list.ts'
import type { Instant } from '../time.ts'
import {
  hasEffect,
  type PaymentDetails,
  type PaymentEvent,
  type PaymentRequest,
} from './payment-events.ts'
import { type Answer, type Payment, type RequestedPayment } from './payment-state.ts'
import { statusCodes, type StatusCode } from './status.ts'

const detailsOf = (request: PaymentRequest): PaymentDetails => {
  const { ledger, callbackUri, displayMessageUri, links, lineItems } = request
  return { ledger, callbackUri, displayMessageUri, links, lineItems }
}

const amended = (
  details: PaymentDetails,
  {
    ledger = details.ledger,
    callbackUri = details.callbackUri,
    displayMessageUri = details.displayMessageUri,
    links = details.links,
    lineItems = details.lineItems,
  }: Extract<PaymentEvent, { type: 'PaymentAmended' }>['data'],
): PaymentDetails => ({ ledger, callbackUri, displayMessageUri, links, lineItems })

/** Fields that an event changes. */
type Changes = Partial<
  Omit<RequestedPayment, 'request' | 'shortlink' | 'waitsUntil' | 'linePosition' | 'lineLedger'>
>

/** Keeps a later `modifiedAt`: refunds and amendments may precede the record of a past deadline. */
const ended = (
  payment: RequestedPayment,
  status: 'ok' | 'fail',
  statusCode: StatusCode,
  at: Instant,
) => ({ status, statusCode, modifiedAt: Math.max(payment.modifiedAt, at) })

const captureChanges = (
  payment: RequestedPayment,
  { captureId: id, charge, ...data }: Extract<PaymentEvent, { type: 'PaymentCaptured' }>['data'],
  at: Instant,
): Changes => {
  const { amount, additionalAmount } = data
  const captures = withItem(payment.captures, { id, amount, additionalAmount, charge, at })
  const captured = plus(payment.captured, data)
  const isComplete = samePots(captured, minus(payment.authorized, payment.released))
  return isComplete
    ? { captures, captured, status: 'ok', statusCode: statusCodes.OK, modifiedAt: at }
    : { captures, captured, modifiedAt: at }
}

const refundChanges = (
  payment: RequestedPayment,
  data: Extract<PaymentEvent, { type: 'PaymentRefunded' }>['data'],
  at: Instant,
): Changes => {
  const { refundId: id, charge, returnsFees, amount, additionalAmount, text } = data
  const refunds = withItem(payment.refunds, { id, amount, additionalAmount, charge, at, text })
  const changes = { refunds, refunded: plus(payment.refunded, data), modifiedAt: at }
  return returnsFees
    ? { ...changes, refundedWithFees: plus(payment.refundedWithFees, data) }
    : changes
}

const changesOf = (
  payment: RequestedPayment,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
  at: Instant,
): Changes => {
  switch (event.type) {
    case 'PaymentAmended':
      return {
        details: amended(payment.details, event.data),
        amendedSize: payment.amendedSize + memorySize(event.data),
        modifiedAt: at,
      }
    case 'PaymentPickedUp':
      return event.data
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt, permissions = null } = event.data
      return {
        status: 'auth',
        statusCode: statusCodes.AUTH,
        payer,
        answer: { type: 'accepted', additionalAmount, credit },
        permissions,
        expiresAt,
        authorized: { amount: payment.request.amount, additionalAmount },
        modifiedAt: at,
      }
    }
    case 'PaymentDeclined': {
      const { payer } = event.data
      const answer: Answer = { type: 'declined' }
      return { ...ended(payment, 'fail', statusCodes.REJECTED, at), payer, answer }
    }
    case 'PaymentFailed': {
      const { statusCode } = event.data
      return { ...ended(payment, 'fail', statusCode, at), answer: { type: 'failed', statusCode } }
    }
    case 'PaymentAborted':
      return { ...ended(payment, 'fail', statusCodes.ABORTED, at), endedByMerchant: true }
    case 'PaymentExpired':
      return ended(payment, 'fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
    case 'PaymentCaptured':
      return captureChanges(payment, event.data, at)
    case 'PaymentReleased': {
      const released = plus(payment.released, event.data)
      const isCaptured = payment.captures.length > 0
      const end = isCaptured
        ? ended(payment, 'ok', statusCodes.OK, at)
        : ended(payment, 'fail', statusCodes.ABORTED, at)
      return { ...end, released, endedByMerchant: true }
    }
    case 'PaymentRenewed':
      return { expiresAt: event.data.expiresAt, isRenewed: true, modifiedAt: at }
    case 'PaymentAuthorizationExpired': {
      const released = plus(payment.released, event.data)
      return { ...ended(payment, 'fail', statusCodes.AUTH_EXPIRED, event.data.expiredAt), released }
    }
    case 'PaymentRefunded':
      return refundChanges(payment, event.data, at)
  }
}

/** The only place where events become a payment. */
export const evolve = (payment: Payment, event: PaymentEvent, { at, position }: Place): Payment => {
  if (event.type !== 'PaymentRequested') {
    if (payment.status === 'unrequested') return payment
    const after = { ...payment, ...changesOf(payment, event, at) }
    if (!hasEffect(event.type, 'line')) return after
    return { ...after, linePosition: position, lineLedger: payment.details.ledger }
  }
  const { request, payer, shortlink, expiresAt } = event.data
  return {
    status: 'pending',
    statusCode: statusCodes.PENDING,
    request,
    details: detailsOf(request),
    payer,
    shortlink,
    scan: undefined,
    answer: null,
    permissions: null,
    waitsUntil: expiresAt,
    expiresAt,
    authorized: nothing,
    captured: nothing,
    released: nothing,
    refunded: nothing,
    refundedWithFees: nothing,
    captures: [],
    refunds: [],
    endedByMerchant: false,
    isRenewed: false,
    amendedSize: 0,
    modifiedAt: at,
    linePosition: position,
    lineLedger: request.ledger,
  }
}
