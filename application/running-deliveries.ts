import type { Instant } from '../domain/time.ts'
import type { QueueRow } from './callback-queue.ts'
import type { Slot } from './fair-scheduler.ts'

export type RunNeeds = {
  readonly now: () => Instant
  /** Called when a delivery ends and another may start. */
  readonly onEnd: () => void
  /** Called if the log is unavailable, which is our failure and not the receiver's. */
  readonly onFailure: (error: unknown) => void
}

const backOffMs = 1000

/** Maximum number of delivered messages not yet recorded; beyond it, they keep their slots. */
const mostUnrecorded = 256

/** Slots that are freed when the message arrives, or at the latest when the delivery ends. */
const heldSlots = (leave: (slot: Slot) => void) => {
  let unrecorded = 0
  return (slot: Slot) => {
    let isHeld = true
    return {
      delivered: (): void => {
        if (!isHeld || unrecorded === mostUnrecorded) return
        isHeld = false
        unrecorded += 1
        leave(slot)
      },
      ended: (): void => {
        if (isHeld) leave(slot)
        else unrecorded -= 1
      },
    }
  }
}

/** Runs deliveries, one at a time per resource. A resource backs off after a failure of ours. */
export const runningDeliveries = (
  { now, onEnd, onFailure }: RunNeeds,
  attempt: (row: QueueRow, slot: Slot, onDelivered: () => void) => Promise<void>,
  leave: (slot: Slot) => void,
) => {
  const underWay = new Set<string>()
  /** Resources whose next message may be due. */
  const ended = new Set<string>()
  /** End of each back-off, earliest first. */
  const backingOff = new Map<string, Instant>()
  const waitingForEnd: (() => void)[] = []
  const holding = heldSlots(leave)

  const end = (subject: string): void => {
    underWay.delete(subject)
    ended.add(subject)
    onEnd()
    for (const resume of waitingForEnd.splice(0)) resume()
  }

  const isBackingOff = (subject: string): boolean => backingOff.has(subject)

  return {
    begin: (row: QueueRow, slot: Slot): void => {
      const { subject } = row
      const held = holding(slot)
      underWay.add(subject)
      attempt(row, slot, held.delivered)
        .catch((error: unknown) => {
          backingOff.set(subject, now() + backOffMs)
          onFailure(error)
        })
        .finally(() => {
          held.ended()
          end(subject)
        })
        .catch(onFailure)
    },
    isBackingOff,
    isReady: (subject: string): boolean => !underWay.has(subject) && !isBackingOff(subject),
    count: (): number => underWay.size,
    backingOffCount: (): number => backingOff.size,
    firstBackOffEnd: (): Instant | undefined => [...backingOff.values()][0],
    /** Calls back for each resource whose delivery or back-off has ended. */
    forEachEnded: (at: Instant, requeue: (subject: string) => void): void => {
      for (const [subject, until] of backingOff) {
        // Also over if the clock was set back.
        if (at < until && at >= until - backOffMs) break
        backingOff.delete(subject)
        ended.add(subject)
      }
      for (const subject of ended) {
        requeue(subject)
        ended.delete(subject)
      }
    },
    nextEnd: () => new Promise<void>((resolve) => waitingForEnd.push(resolve)),
  }
}
