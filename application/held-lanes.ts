import type { DeliveryLane } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'

/** Why a destination is held back: it rests, or asked for fewer requests. */
type DestinationTrouble = {
  readonly pausedUntil: Instant | null
  readonly restedAt: Instant | null
}

export type FindTrouble = (merchant: string, destination: string) => DestinationTrouble | undefined

/** How often a held lane is checked again. */
const lookAgainMs = 1000

const keyOf = ({ merchant, destination }: DeliveryLane): string =>
  JSON.stringify([merchant, destination])

/**
 * Lanes that must not send now. After asking for fewer requests, a destination gets one message at
 * a time until it accepts one.
 */
export const heldLanes = (findTrouble: FindTrouble) => {
  const running = new Map<string, number>()
  const held = new Map<string, { readonly lane: DeliveryLane; readonly until: Instant }>()

  const isHeld = (lane: DeliveryLane, at: Instant): boolean => {
    const { merchant, destination } = lane
    const trouble = merchant === null ? undefined : findTrouble(merchant, destination)
    if (!trouble) return false
    const { restedAt, pausedUntil } = trouble
    if (restedAt !== null) return true
    return pausedUntil !== null && (at < pausedUntil || running.has(keyOf(lane)))
  }

  return {
    /** Whether the lane is held; remembers it if so. */
    hold: (lane: DeliveryLane, at: Instant): boolean => {
      if (!isHeld(lane, at)) return false
      held.set(keyOf(lane), { lane, until: at + lookAgainMs })
      return true
    },
    begun: (lane: DeliveryLane): void => {
      running.set(keyOf(lane), (running.get(keyOf(lane)) ?? 0) + 1)
    },
    ended: (lane: DeliveryLane): void => {
      const left = (running.get(keyOf(lane)) ?? 1) - 1
      if (left > 0) running.set(keyOf(lane), left)
      else running.delete(keyOf(lane))
    },
    /** Lanes to check again. */
    takeDue: (at: Instant): readonly DeliveryLane[] => {
      // Also over if the clock was set back.
      const due = [...held].filter(([, { until }]) => at >= until || at < until - lookAgainMs)
      for (const [key] of due) held.delete(key)
      return due.map(([, { lane }]) => lane)
    },
    firstEnd: (): Instant | undefined => {
      const [first] = held.values()
      return first?.until
    },
  }
}
