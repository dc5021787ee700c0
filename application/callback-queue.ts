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

/** Up to where it was looked for what is due: by the clock, and in the log. */
export type Seen = { readonly at: Instant; readonly position: Position }

type NewlyDue = {
  readonly news: readonly DeliveryLane[]
  readonly others: readonly DeliveryLane[]
  readonly seen: Seen
}

export type CallbackQueue = {
  /** Where something is due that has changed since it was last looked, or was not due then: at first, all that is. */
  newlyDue(now: Instant, seen: Seen | null): NewlyDue
  /** Resources whose first message is due there, the longest due first; without their messages. */
  due(lane: DeliveryLane, now: Instant, limit: number): readonly string[]
  /** The same, wherever their messages go. */
  dueAnywhere(now: Instant, limit: number): readonly string[]
  find(subject: string): QueueRow | undefined
  /** Where the first message of a resource is due. */
  laneOf(subject: string, now: Instant): DeliveryLane | undefined
  /** Resources whose first message is due after an instant. */
  dueAfter(then: Instant): readonly QueueRow[]
  /** The next instant after now at which something becomes due. */
  nextDue(now: Instant): Instant | null
}
