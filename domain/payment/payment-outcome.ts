import type { Currency } from '../money/currency.ts'
import { type MinorUnits, nothing, type Pots } from '../money/money.ts'
import type { Permissions } from '../people/grant.ts'
import type { ChunkedList } from '../chunked-list.ts'
import type { Instant } from '../time.ts'
import { decideExpiry } from './payment-actions.ts'
import { available, type Part, type Refund, type RequestedPayment } from './payment-state.ts'
import { evolve } from './payment-evolve.ts'
import type { PaymentStatus } from './status.ts'

/** A payment at a moment (interface 4.6); amounts in minor units. */
export type PaymentOutcome = {
  readonly tid: string
  readonly merchant: string
  readonly posId: string
  readonly posTid: string
  readonly customer: string | null
  /** Who may answer or has answered; null while anyone may. */
  readonly payer: string | null
  readonly permissions: Permissions | null
  readonly currency: Currency
  readonly status: PaymentStatus
  readonly statusCode: number
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  readonly credit: boolean
  readonly available: Pots
  readonly released: Pots
  readonly captures: ChunkedList<Part>
  readonly refunds: ChunkedList<Refund>
  /** When the payer answered, or it ended without an answer; null while pending. */
  readonly answeredAt: Instant | null
  readonly modifiedAt: Instant
  readonly expiresAt: Instant
  /** Position and ledger of its latest line, which identify its report. */
  readonly linePosition: number
  readonly lineLedger: string
}

/** Expiry takes effect at its instant, recorded or not (interface 4.5). */
const asOf = (payment: RequestedPayment, at: Instant): RequestedPayment => {
  const [expiry] = decideExpiry({ type: 'ExpirePayment', at }, payment)
  if (!expiry) return payment
  const { linePosition: position } = payment
  const expired = evolve(payment, expiry, { at, position }) as RequestedPayment
  return { ...expired, lineLedger: payment.lineLedger }
}

export const outcomeAt = (tid: string, payment: RequestedPayment, at: Instant): PaymentOutcome => {
  const now = asOf(payment, at)
  const { request, answer } = now
  const { merchant, posId, posTid, customer, currency, amount } = request
  const isAccepted = answer?.type === 'accepted'
  return {
    tid,
    merchant,
    posId,
    posTid,
    customer,
    payer: now.payer,
    permissions: now.permissions,
    currency,
    status: now.status,
    statusCode: now.statusCode,
    amount,
    additionalAmount: isAccepted ? answer.additionalAmount : request.additionalAmount,
    credit: isAccepted && answer.credit,
    available: now.status === 'auth' ? available(now) : nothing,
    released: now.released,
    captures: now.captures,
    refunds: now.refunds,
    answeredAt: now.answeredAt,
    modifiedAt: now.modifiedAt,
    expiresAt: now.expiresAt,
    linePosition: now.linePosition,
    lineLedger: now.lineLedger,
  }
}
