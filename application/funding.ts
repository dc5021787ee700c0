import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'
import type { Instant } from '../domain/time.ts'

/** What would be authorised. Two that are equal in all members are one: a source that holds money for it holds it once. */
export type Approval = {
  /** The tid of the payment. */
  readonly payment: string
  readonly payer: string
  readonly currency: string
  /** All that would be authorised, in minor units. */
  readonly amount: number
  readonly credit: boolean
}

/** What has become of money that was approved, or of a part of it. */
export type Movement = {
  /** What has the same id is the same movement, told again. It is that of the event by which it happened. */
  readonly id: string
  /** The tid of the payment. */
  readonly payment: string
  readonly payer: string
  readonly currency: string
  /** What moved, in minor units. */
  readonly amount: number
  readonly at: Instant
}

/**
 * Tells of one movement. When that fails it is told again, and what came later may have to wait for it. The service ends
 * when it has answered; the signal says that somebody waits for that.
 */
type Tell = (movement: Movement, stopped: AbortSignal) => Promise<void>

/** Knows whether a payer's money is good (interface 12). */
export type FundingSource = {
  /** Answers null when it is, else why not. Asked again when what became of an answer is not known. */
  approve(wanted: Approval): Promise<RefusalOfFunds | null>
  /**
   * What was approved has not come about: another was first, or the request ended meanwhile. Nobody is told so when the
   * process ends in between, or when it cannot be known because the log is away: what is authorised for good is in the log.
   */
  cancel(approved: Approval): Promise<void>
  /**
   * How a source that holds money hears what has become of it, from the log: each movement at least once, those of one
   * payment in order, also after a crash. It has happened by then and cannot be refused.
   */
  readonly movements?: { readonly capture: Tell; readonly release: Tell; readonly refund: Tell }
}
