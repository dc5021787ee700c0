import type { Charge } from './charge.ts'
import type { Permissions } from './grant.ts'
import type {
  PaymentDetails,
  PaymentEvent,
  PaymentRequest,
  RefusalOfFunds,
} from './payment-events.ts'
import { isNothing, minus, nothing, plus, potsOf, type Pots } from './pots.ts'
import { statusCodes, type PaymentStatus, type StatusCode } from './status.ts'
import type { Instant } from './time.ts'

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
  readonly payer: string | null
  /** The shortlink of which a scan names the payer. */
  readonly shortlink?: string | undefined
  /** The scan that named the payer. */
  readonly scan?: string
  readonly answer: Answer | null
  readonly permissions: Permissions | null
  /** End of the current status: of the wait for the payer, then of the authorisation. */
  readonly expiresAt: Instant
  /** Zero until the payer accepts. */
  readonly authorized: Pots
  readonly captured: Pots
  readonly released: Pots
  readonly refunded: Pots
  readonly captures: readonly Part[]
  readonly refunds: readonly Part[]
  readonly endedByMerchant: boolean
}

export type Payment = RequestedPayment | { readonly status: 'unrequested' }

/** authorised = captured + released + available, in both pots. */
export const available = ({ authorized, captured, released }: RequestedPayment): Pots =>
  minus(minus(authorized, captured), released)

const detailsOf = (request: PaymentRequest): PaymentDetails => {
  const { ledger, callbackUri, displayMessageUri, links, lineItems } = request
  return { ledger, callbackUri, displayMessageUri, links, lineItems }
}

const evolveRequested = (
  payment: RequestedPayment,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
): RequestedPayment => {
  switch (event.type) {
    case 'PaymentAmended':
      return { ...payment, details: event.data }
    case 'PaymentPickedUp':
      return { ...payment, ...event.data }
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt, permissions = null } = event.data
      const authorized = { amount: payment.request.amount, additionalAmount }
      const answer = { type: 'accepted', additionalAmount, credit } as const
      const { AUTH: statusCode } = statusCodes
      const after = { ...payment, status: 'auth', statusCode, payer, answer, authorized } as const
      return { ...after, permissions, expiresAt }
    }
    case 'PaymentDeclined': {
      const { payer } = event.data
      const { REJECTED: statusCode } = statusCodes
      return { ...payment, status: 'fail', statusCode, payer, answer: { type: 'declined' } }
    }
    case 'PaymentFailed': {
      const { statusCode } = event.data
      return { ...payment, status: 'fail', statusCode, answer: { type: 'failed', statusCode } }
    }
    case 'PaymentAborted': {
      const { ABORTED: statusCode } = statusCodes
      return { ...payment, status: 'fail', statusCode, endedByMerchant: true }
    }
    case 'PaymentExpired':
      return { ...payment, status: 'fail', statusCode: statusCodes.REQUEST_EXPIRED }
    case 'PaymentCaptured': {
      const { captureId: id, charge, ...pots } = event.data
      const captures = [...payment.captures, { id, ...pots, charge }]
      const after = { ...payment, captures, captured: plus(payment.captured, pots) }
      const isComplete = isNothing(available(after))
      return isComplete ? { ...after, status: 'ok', statusCode: statusCodes.OK } : after
    }
    case 'PaymentReleased': {
      const released = plus(payment.released, event.data)
      const after = { ...payment, released, endedByMerchant: true }
      return payment.captures.length > 0
        ? { ...after, status: 'ok', statusCode: statusCodes.OK }
        : { ...after, status: 'fail', statusCode: statusCodes.ABORTED }
    }
    case 'PaymentRenewed':
      return { ...payment, expiresAt: event.data.expiresAt }
    case 'PaymentAuthorizationExpired': {
      const released = plus(payment.released, potsOf(event.data))
      return { ...payment, released, status: 'fail', statusCode: statusCodes.AUTH_EXPIRED }
    }
    case 'PaymentRefunded': {
      const { refundId: id, text: _, charge, ...pots } = event.data
      const refunds = [...payment.refunds, { id, ...pots, charge }]
      return { ...payment, refunds, refunded: plus(payment.refunded, pots) }
    }
  }
}

/** Folds an event into a payment. */
export const evolve = (payment: Payment, event: PaymentEvent): Payment => {
  if (event.type !== 'PaymentRequested')
    return payment.status === 'unrequested' ? payment : evolveRequested(payment, event)
  return {
    status: 'pending',
    statusCode: statusCodes.PENDING,
    ...event.data,
    details: detailsOf(event.data.request),
    answer: null,
    permissions: null,
    authorized: nothing,
    captured: nothing,
    released: nothing,
    refunded: nothing,
    captures: [],
    refunds: [],
    endedByMerchant: false,
  }
}
