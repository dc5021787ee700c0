import type { Charge } from '../accounting/fees.ts'
import { isNothing, minus, type Pots } from '../money/money.ts'
import type { Permissions } from '../people/grant.ts'
import type { ChunkedList } from '../chunked-list.ts'
import type { Attachment } from '../merchant/attachment.ts'
import type { Instant } from '../time.ts'
import type { PaymentDetails, PaymentRequest, RefusalOfFunds } from './payment-events.ts'
import type { PaymentStatus, StatusCode } from './status.ts'

/** A capture or refund; the id is null when it took everything. */
export type Part = Pots & {
  readonly id: string | null
  readonly charge: Charge
  readonly at: Instant
}

/** What the merchant sent, and when. */
export type Evidence = Attachment & { readonly at: Instant }

/** A dispute takes its pots from when it is opened until it is won. */
export type Dispute = Pots & {
  readonly state: 'open' | 'evidence_sent' | 'won' | 'lost'
  readonly reason: string
  /** Deadline of the merchant's evidence. */
  readonly due: Instant
  readonly charge: Charge
  readonly evidence: readonly Evidence[]
  readonly openedAt: Instant
  readonly closedAt: Instant | null
}

export type Refund = Part & { readonly text: string | null }

/** The answer of the payer, or of the funding source on the payer's behalf. */
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
  /** When the payer answered, or the request ended without an answer; null while it waits. */
  readonly answeredAt: Instant | null
  readonly permissions: Permissions | null
  /** Deadline of the payer's answer. */
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
  /** Number 1 is the first. */
  readonly disputes: readonly Dispute[]
  /** In open and lost disputes. */
  readonly disputed: Pots
  readonly endedByMerchant: boolean
  /** Whether the current deadline comes from a renewal. */
  readonly isRenewed: boolean
  readonly modifiedAt: Instant
  /** Position and ledger of the latest line, which identify its report. */
  readonly linePosition: number
  readonly lineLedger: string
}

export type Payment = RequestedPayment | { readonly status: 'unrequested' }

/** authorized = captured + released + available, in both pots. */
export const available = ({ authorized, captured, released }: RequestedPayment): Pots =>
  minus(minus(authorized, captured), released)

/** captured = refunded + disputed + refundable, in both pots. */
export const refundable = ({ captured, refunded, disputed }: RequestedPayment): Pots =>
  minus(minus(captured, refunded), disputed)

/** Whether it is over for good, with nothing captured. */
export const hasEndedUnpaid = (payment: Payment): boolean =>
  (payment.status === 'ok' || payment.status === 'fail') && isNothing(payment.captured)

/** Whether nobody can answer until a scan names the payer. */
export const awaitsScan = ({ payer, shortlink }: RequestedPayment): boolean =>
  payer === null && shortlink !== undefined
