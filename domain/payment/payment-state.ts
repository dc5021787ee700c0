import type { Charge } from '../accounting/charge.ts'
import { minus, nothing, plus, samePots, type Pots } from '../money/pots.ts'
import type { Permissions } from '../people/grant.ts'
import { withAdded, type Pieces } from '../pieces.ts'
import { roughSize } from '../rough-size.ts'
import type { Instant } from '../time.ts'
import type {
  PaymentDetails,
  PaymentEvent,
  PaymentRequest,
  RefusalOfFunds,
} from './payment-events.ts'
import { statusCodes, type PaymentStatus, type StatusCode } from './status.ts'

/** A capture or a refund that was accepted; the id is null for the one that took everything. */
export type Part = Pots & { readonly id: string | null; readonly charge: Charge }

/** What the payer said, or the funding source instead. */
export type Answer =
  | { readonly type: 'accepted'; readonly additionalAmount: number; readonly credit: boolean }
  | { readonly type: 'declined' }
  | { readonly type: 'failed'; readonly statusCode: RefusalOfFunds }

export type RequestedPayment = {
  readonly status: PaymentStatus
  readonly statusCode: StatusCode
  /** As first requested: what a repeated request is compared with. */
  readonly request: PaymentRequest
  /** As amended since. */
  readonly details: PaymentDetails
  /** Roughly how many bytes all amendments take together. */
  readonly amendedSize: number
  readonly payer: string | null
  /** The shortlink of which a scan names the payer. */
  readonly shortlink?: string | undefined
  /** The scan that named the payer. */
  readonly scan?: string | undefined
  readonly answer: Answer | null
  readonly permissions: Permissions | null
  /** End of the wait for the payer. */
  readonly waitsUntil: Instant
  /** End of the current status: of the wait for the payer, then of the authorisation. */
  readonly expiresAt: Instant
  /** Zero until the payer accepts. */
  readonly authorized: Pots
  readonly captured: Pots
  readonly released: Pots
  readonly refunded: Pots
  /** By refunds that gave back their part of what was charged. */
  readonly refundedWithFees: Pots
  readonly captures: Pieces<Part>
  readonly refunds: Pieces<Part>
  readonly endedByMerchant: boolean
  /** Whether `expiresAt` is that of a renewal. */
  readonly isRenewed: boolean
}

export type Payment = RequestedPayment | { readonly status: 'unrequested' }

/** authorised = captured + released + available, in both pots. */
export const available = ({ authorized, captured, released }: RequestedPayment): Pots =>
  minus(minus(authorized, captured), released)

/** Whether nobody may answer before a scan of its shortlink names the payer. */
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

/** What events change of a payment. */
type Changes = Partial<Omit<RequestedPayment, 'request' | 'shortlink' | 'waitsUntil'>>

/** Written out: every event of every payment comes through here, and a spread takes ten times as long. */
const withChanges = (payment: RequestedPayment, changes: Changes): RequestedPayment => ({
  status: changes.status ?? payment.status,
  statusCode: changes.statusCode ?? payment.statusCode,
  request: payment.request,
  details: changes.details ?? payment.details,
  amendedSize: changes.amendedSize ?? payment.amendedSize,
  payer: changes.payer ?? payment.payer,
  shortlink: payment.shortlink,
  scan: changes.scan ?? payment.scan,
  answer: changes.answer ?? payment.answer,
  permissions: changes.permissions ?? payment.permissions,
  waitsUntil: payment.waitsUntil,
  expiresAt: changes.expiresAt ?? payment.expiresAt,
  authorized: changes.authorized ?? payment.authorized,
  captured: changes.captured ?? payment.captured,
  released: changes.released ?? payment.released,
  refunded: changes.refunded ?? payment.refunded,
  refundedWithFees: changes.refundedWithFees ?? payment.refundedWithFees,
  captures: changes.captures ?? payment.captures,
  refunds: changes.refunds ?? payment.refunds,
  endedByMerchant: changes.endedByMerchant ?? payment.endedByMerchant,
  isRenewed: changes.isRenewed ?? payment.isRenewed,
})

const changesOf = (
  payment: RequestedPayment,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
): Changes => {
  switch (event.type) {
    case 'PaymentAmended':
      return {
        details: amended(payment.details, event.data),
        amendedSize: payment.amendedSize + roughSize(event.data),
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
      }
    }
    case 'PaymentDeclined': {
      const { payer } = event.data
      const { REJECTED: statusCode } = statusCodes
      return { status: 'fail', statusCode, payer, answer: { type: 'declined' } }
    }
    case 'PaymentFailed': {
      const { statusCode } = event.data
      return { status: 'fail', statusCode, answer: { type: 'failed', statusCode } }
    }
    case 'PaymentAborted':
      return { status: 'fail', statusCode: statusCodes.ABORTED, endedByMerchant: true }
    case 'PaymentExpired':
      return { status: 'fail', statusCode: statusCodes.REQUEST_EXPIRED }
    case 'PaymentCaptured': {
      const { captureId: id, charge, amount, additionalAmount } = event.data
      const captures = withAdded(payment.captures, { id, amount, additionalAmount, charge })
      const captured = plus(payment.captured, event.data)
      const isComplete = samePots(captured, minus(payment.authorized, payment.released))
      return isComplete
        ? { captures, captured, status: 'ok', statusCode: statusCodes.OK }
        : { captures, captured }
    }
    case 'PaymentReleased': {
      const released = plus(payment.released, event.data)
      return payment.captures.length > 0
        ? { released, endedByMerchant: true, status: 'ok', statusCode: statusCodes.OK }
        : { released, endedByMerchant: true, status: 'fail', statusCode: statusCodes.ABORTED }
    }
    case 'PaymentRenewed':
      return { expiresAt: event.data.expiresAt, isRenewed: true }
    case 'PaymentAuthorizationExpired': {
      const released = plus(payment.released, event.data)
      return { released, status: 'fail', statusCode: statusCodes.AUTH_EXPIRED }
    }
    case 'PaymentRefunded': {
      const { refundId: id, charge, returnsFees, amount, additionalAmount } = event.data
      const refunds = withAdded(payment.refunds, { id, amount, additionalAmount, charge })
      const refunded = plus(payment.refunded, event.data)
      return returnsFees
        ? { refunds, refunded, refundedWithFees: plus(payment.refundedWithFees, event.data) }
        : { refunds, refunded }
    }
  }
}

/** Folds an event into a payment. */
export const evolve = (payment: Payment, event: PaymentEvent): Payment => {
  if (event.type !== 'PaymentRequested')
    return payment.status === 'unrequested'
      ? payment
      : withChanges(payment, changesOf(payment, event))
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
  }
}
