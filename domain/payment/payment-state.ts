import type { Charge } from '../accounting/charge.ts'
import type { Place } from '../decider.ts'
import { minus, nothing, plus, samePots, type Pots } from '../money/pots.ts'
import type { Permissions } from '../people/grant.ts'
import { withItem, type ChunkedList } from '../chunked-list.ts'
import { memorySize } from '../memory-size.ts'
import type { Instant } from '../time.ts'
import type {
  PaymentDetails,
  PaymentEvent,
  PaymentRequest,
  RefusalOfFunds,
} from './payment-events.ts'
import { statusCodes, type PaymentStatus, type StatusCode } from './status.ts'

/** A capture or refund; the id is null when it took everything. */
export type Part = Pots & {
  readonly id: string | null
  readonly charge: Charge
  readonly at: Instant
}
export type Refund = Part & { readonly text: string | null }

/** What the payer answered, or the funding source in their place. */
export type Answer =
  | { readonly type: 'accepted'; readonly additionalAmount: number; readonly credit: boolean }
  | { readonly type: 'declined' }
  | { readonly type: 'failed'; readonly statusCode: RefusalOfFunds }

export type RequestedPayment = {
  readonly status: PaymentStatus
  readonly statusCode: StatusCode
  /** Original request, to recognise repeats. */
  readonly request: PaymentRequest
  /** After amendments. */
  readonly details: PaymentDetails
  /** Estimated bytes of all amendments. */
  readonly amendedSize: number
  readonly payer: string | null
  /** A scan of this shortlink names the payer. */
  readonly shortlink?: string | undefined
  readonly scan?: string | undefined
  readonly answer: Answer | null
  readonly permissions: Permissions | null
  /** Deadline of the payer’s answer. */
  readonly waitsUntil: Instant
  /** Deadline of the current status. */
  readonly expiresAt: Instant
  /** Zero until the payer accepts. */
  readonly authorized: Pots
  readonly captured: Pots
  readonly released: Pots
  readonly refunded: Pots
  /** The part whose refunds returned charges. */
  readonly refundedWithFees: Pots
  readonly captures: ChunkedList<Part>
  readonly refunds: ChunkedList<Refund>
  readonly endedByMerchant: boolean
  /** Whether the current deadline comes from a renewal. */
  readonly isRenewed: boolean
  readonly modifiedAt: Instant
  /** Position and ledger of the latest line; they name its report. */
  readonly linePosition: number
  readonly lineLedger: string
}

export type Payment = RequestedPayment | { readonly status: 'unrequested' }

/** authorized = captured + released + available, in both pots. */
export const available = ({ authorized, captured, released }: RequestedPayment): Pots =>
  minus(minus(authorized, captured), released)

/** Nobody may answer before a scan names the payer. */
export const awaitsScan = ({ payer, shortlink }: RequestedPayment): boolean =>
  payer === null && shortlink !== undefined

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

type WithoutLine = 'PaymentAmended' | 'PaymentPickedUp' | 'PaymentRenewed'

/** Whether the event adds a line to a ledger. */
export const hasLine = (
  type: PaymentEvent['type'],
): type is Exclude<PaymentEvent['type'], WithoutLine> =>
  type !== 'PaymentAmended' && type !== 'PaymentPickedUp' && type !== 'PaymentRenewed'

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
    if (!hasLine(event.type)) return after
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
