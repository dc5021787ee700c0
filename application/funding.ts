import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'
import type { Instant } from '../domain/time.ts'
import type { Traceparent } from './tracing.ts'

/** Approvals with equal members are the same one: the source reserves the money once. */
export type Approval = {
  readonly payment: string
  readonly payer: string
  readonly currency: string
  /** Total in minor units. */
  readonly amount: number
  readonly credit: boolean
}

/** Approved money, or a part of it, was captured, released or refunded. */
export type Movement = {
  /** Id of the event that caused it; equal ids are the same movement. */
  readonly id: string
  readonly payment: string
  readonly payer: string
  readonly currency: string
  /** Minor units. */
  readonly amount: number
  readonly at: Instant
  /** Of the request that moved it: to be sent on. */
  readonly traceparent?: Traceparent | undefined
}

/**
 * Reports a movement. Retried after failures, which may delay later movements. The signal is
 * aborted when the service stops.
 */
type ReportMovement = (movement: Movement, stopped: AbortSignal) => Promise<void>

/** Decides whether a payer has the money (interface 12). */
export type FundingSource = {
  /**
   * Null means yes, otherwise the reason. May be retried when the outcome is unknown. A source
   * sends the traceparent on.
   */
  approve(approval: Approval, traceparent?: Traceparent): Promise<RefusalOfFunds | null>
  /**
   * The approval is not used: another was recorded first or the request ended. Not called if the
   * process stops or the log is unavailable; the log says what is authorized.
   */
  cancel(approved: Approval): Promise<void>
  /**
   * For sources that hold money: reports each movement at least once, in order for each payment,
   * also after a crash. Movements have happened and cannot be refused.
   */
  readonly movements?: {
    readonly capture: ReportMovement
    readonly release: ReportMovement
    readonly refund: ReportMovement
  }
}
