import type { DeliveryLane, QueuedMessage } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import type { Position } from './event-store.ts'

export type QueueRow = {
  readonly subject: string
  readonly merchant: string | null
  readonly callbackUri: string | null
  readonly destination: string | null
  readonly dueAt: Instant | null
  readonly waiting: readonly QueuedMessage[]
}

/** How far the last check for due messages got, in time and in the log. */
export type DueCheck = { readonly at: Instant; readonly position: Position }

type NewlyDue = {
  readonly changed: readonly DeliveryLane[]
  readonly elapsed: readonly DeliveryLane[]
  readonly lastCheck: DueCheck
}

export type CallbackQueue = {
  /**
   * Lanes that became due since the last check: `changed` by an event, `elapsed` by time. The first
   * check finds all.
   */
  newlyDue(now: Instant, lastCheck: DueCheck | null): NewlyDue
  /** Resources whose first message to this lane is due, longest due first. */
  due(lane: DeliveryLane, now: Instant, limit: number): readonly string[]
  /** The same for all lanes. */
  dueAnywhere(now: Instant, limit: number): readonly string[]
  find(subject: string): QueueRow | undefined
  /** Lane of a resource's first message, if due. */
  laneOf(subject: string, now: Instant): DeliveryLane | undefined
  dueAfter(then: Instant): readonly QueueRow[]
  nextDue(now: Instant): Instant | null
}
