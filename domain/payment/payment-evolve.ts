import type { Place } from '../decider.ts'
import { memorySize } from '../memory-size.ts'
import { minus, nothing, plus, samePots } from '../money/money.ts'
import { withItem } from '../chunked-list.ts'
import type { Instant } from '../time.ts'
import { evolveDispute, type DisputeEvent } from './dispute.ts'
import {
  hasEffect,
  type PaymentDetails,
  type PaymentEvent,
  type PaymentRequest,
} from './payment-events.ts'
import type { Answer, Payment, RequestedPayment } from './payment-state.ts'
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
  }: DataOf['PaymentAmended'],
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
) => ({
  status,
  statusCode,
  answeredAt: payment.answeredAt ?? at,
  modifiedAt: Math.max(payment.modifiedAt, at),
})

type LaterType = Exclude<PaymentEvent['type'], 'PaymentRequested'>

type DataOf = { readonly [Type in LaterType]: Extract<PaymentEvent, { type: Type }>['data'] }

/** An event after the request; distributes over the union, so that `data` matches `type`. */
type Later<Type extends LaterType = LaterType> = {
  readonly [Each in Type]: { readonly type: Each; readonly data: DataOf[Each] }
}[Type]

type ChangesBy = {
  readonly [Type in LaterType]: (
    payment: RequestedPayment,
    data: DataOf[Type],
    at: Instant,
  ) => Changes
}

const withDispute = (
  { disputes }: RequestedPayment,
  event: DisputeEvent,
  at: Instant,
): Pick<RequestedPayment, 'disputes' | 'modifiedAt'> => {
  const index = event.data.dispute - 1
  const after = evolveDispute(disputes[index], event, at)
  return { disputes: after ? disputes.toSpliced(index, 1, after) : disputes, modifiedAt: at }
}

const changesBy: ChangesBy = {
  PaymentAmended: (payment, data, at) => ({
    details: amended(payment.details, data),
    amendedSize: payment.amendedSize + memorySize(data),
    modifiedAt: at,
  }),
  PaymentPickedUp: (_, data) => data,
  PaymentAuthorized: ({ request }, data, at) => {
    const { payer, additionalAmount, credit, expiresAt, permissions = null } = data
    return {
      status: 'auth',
      statusCode: statusCodes.AUTH,
      payer,
      answer: { type: 'accepted', additionalAmount, credit },
      answeredAt: at,
      permissions,
      expiresAt,
      authorized: { amount: request.amount, additionalAmount },
      modifiedAt: at,
    }
  },
  PaymentDeclined: (payment, { payer }, at) => {
    const answer: Answer = { type: 'declined' }
    return { ...ended(payment, 'fail', statusCodes.REJECTED, at), payer, answer }
  },
  PaymentFailed: (payment, { statusCode }, at) => ({
    ...ended(payment, 'fail', statusCode, at),
    answer: { type: 'failed', statusCode },
  }),
  PaymentAborted: (payment, _, at) => ({
    ...ended(payment, 'fail', statusCodes.ABORTED, at),
    endedByMerchant: true,
  }),
  PaymentExpired: (payment, { expiredAt }) =>
    ended(payment, 'fail', statusCodes.REQUEST_EXPIRED, expiredAt),
  PaymentCaptured: (payment, { captureId: id, charge, ...data }, at) => {
    const { amount, additionalAmount } = data
    const captures = withItem(payment.captures, { id, amount, additionalAmount, charge, at })
    const captured = plus(payment.captured, data)
    const isComplete = samePots(captured, minus(payment.authorized, payment.released))
    return isComplete
      ? { captures, captured, status: 'ok', statusCode: statusCodes.OK, modifiedAt: at }
      : { captures, captured, modifiedAt: at }
  },
  PaymentReleased: (payment, data, at) => {
    const released = plus(payment.released, data)
    const isCaptured = payment.captures.length > 0
    const end = isCaptured
      ? ended(payment, 'ok', statusCodes.OK, at)
      : ended(payment, 'fail', statusCodes.ABORTED, at)
    return { ...end, released, endedByMerchant: true }
  },
  PaymentRenewed: (_, { expiresAt }, at) => ({ expiresAt, isRenewed: true, modifiedAt: at }),
  PaymentAuthorizationExpired: (payment, data) => ({
    ...ended(payment, 'fail', statusCodes.AUTH_EXPIRED, data.expiredAt),
    released: plus(payment.released, data),
  }),
  PaymentRefunded: (payment, data, at) => {
    const { refundId: id, charge, returnsFees, amount, additionalAmount, text } = data
    const refunds = withItem(payment.refunds, { id, amount, additionalAmount, charge, at, text })
    const changes = { refunds, refunded: plus(payment.refunded, data), modifiedAt: at }
    return returnsFees
      ? { ...changes, refundedWithFees: plus(payment.refundedWithFees, data) }
      : changes
  },
  PaymentDisputed: (payment, data, at) => ({
    ...withDispute(payment, { type: 'PaymentDisputed', data }, at),
    disputed: plus(payment.disputed, data),
  }),
  PaymentEvidenceSent: (payment, data, at) =>
    withDispute(payment, { type: 'PaymentEvidenceSent', data }, at),
  PaymentDisputeWon: (payment, data, at) => ({
    ...withDispute(payment, { type: 'PaymentDisputeWon', data }, at),
    disputed: minus(payment.disputed, data),
  }),
  PaymentDisputeLost: (payment, data, at) =>
    withDispute(payment, { type: 'PaymentDisputeLost', data }, at),
}

const changesOf = <Type extends LaterType>(
  payment: RequestedPayment,
  { type, data }: Later<Type>,
  at: Instant,
): Changes => changesBy[type](payment, data, at)

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
    answeredAt: null,
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
    disputes: [],
    disputed: nothing,
    endedByMerchant: false,
    isRenewed: false,
    amendedSize: 0,
    modifiedAt: at,
    linePosition: position,
    lineLedger: request.ledger,
  }
}
