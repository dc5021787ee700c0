import type { DeliveryLane } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import { bringForwardMessages } from './bring-forward.ts'
import type { CallbackQueue, DueCheck, QueueRow } from './callback-queue.ts'
import { deliveryAttempts, type AttemptNeeds } from './delivery-attempts.ts'
import { heldLanes, type FindTrouble } from './held-lanes.ts'
import { nextMoment, nextTurn } from './next-turn.ts'
import type { Share } from './share.ts'
import { makeFairScheduler, slotsPerDestination, type Slot } from './fair-scheduler.ts'
import { runningDeliveries, type RunNeeds } from './running-deliveries.ts'

type Needs = AttemptNeeds &
  RunNeeds & { readonly queue: CallbackQueue; readonly findTrouble: FindTrouble }

/** Up to this many deliveries start one millisecond apart, so that a request rarely meets two. */
const begunApart = 32
/** Beyond that, this many start in each turn of the event loop. */
const begunAtOnce = 2

type Running = ReturnType<typeof runningDeliveries>
type Scheduler = ReturnType<typeof makeFairScheduler>

const firstOf = (...times: readonly (Instant | null | undefined)[]): Instant | null => {
  const first = Math.min(...times.map((time) => time ?? Infinity))
  return first === Infinity ? null : first
}

/** Finds the next delivery of each lane, and lanes with due deliveries. */
const dueDeliveries = (
  queue: CallbackQueue,
  scheduler: Scheduler,
  running: Running,
  held: ReturnType<typeof heldLanes>,
  share: Share,
) => {
  let lastCheck: DueCheck | null = null
  let changes = 0

  /** Returns at least two, if there are as many. */
  const readyIn = (lane: DeliveryLane, at: Instant): readonly string[] => {
    const due = queue.due(lane, at, slotsPerDestination + 1)
    const ready = due.filter(running.isReady)
    if (ready.length > 1 || due.length <= slotsPerDestination) return ready
    // The first ones are in flight or backing off: look past them.
    const past = running.count() + running.backingOffCount()
    return queue.due(lane, at, past + 2).filter(running.isReady)
  }

  return {
    /** The next delivery of a lane; requeues the lane if there are more. */
    nextOf: (lane: DeliveryLane, at: Instant): QueueRow | undefined => {
      if (!share.isOwn(lane.merchant) || held.hold(lane, at)) return undefined
      const [subject, another] = readyIn(lane, at)
      if (another !== undefined) scheduler.add(lane)
      const row = subject === undefined ? undefined : queue.find(subject)
      const isDue = row?.destination === lane.destination && (row.dueAt ?? Infinity) <= at
      // If it has changed since, `newlyDue` finds it.
      return isDue ? row : undefined
    },
    /** Queues every lane that has become due. */
    queueLanes: (at: Instant): void => {
      for (const lane of held.takeDue(at)) scheduler.add(lane)
      running.forEachEnded(at, (subject) => {
        const lane = queue.laneOf(subject, at)
        if (lane) scheduler.add(lane)
      })
      // What another process was about to deliver before.
      if (share.changes() !== changes) lastCheck = null
      changes = share.changes()
      const found = queue.newlyDue(at, lastCheck)
      for (const lane of found.changed) scheduler.add(lane, true)
      for (const lane of found.elapsed) scheduler.add(lane)
      lastCheck = found.lastCheck
    },
  }
}

/**
 * Delivers callback messages in order for each resource. Each destination progresses independently.
 * Long because its steps share what is queued, held and in flight.
 */
export const deliverCallbacks = (needs: Needs) => {
  const { queue, now } = needs
  const scheduler = makeFairScheduler()
  let settling = 0
  const { recordTime } = scheduler
  const deliver = deliveryAttempts(needs, { isHurried: () => settling > 0, recordTime })
  const attempt: Parameters<typeof runningDeliveries>[1] = (row, lane, onDelivered) =>
    needs.share.using(lane.merchant, (lease) => deliver(row, lane, lease, onDelivered))
  const held = heldLanes(needs.findTrouble)
  const running = runningDeliveries(needs, attempt, (slot) => {
    held.ended(slot)
    scheduler.leave(slot)
    if (scheduler.isWaitedFor()) needs.onEnd()
  })
  const { nextOf, queueLanes } = dueDeliveries(queue, scheduler, running, held, needs.share)
  const { bringForward, noteCheck } = bringForwardMessages(needs)

  const beginIn = (slot: Slot, at: Instant): void => {
    let row: QueueRow | undefined
    try {
      row = nextOf(slot, at)
    } catch (error) {
      // Retry after a failed read.
      scheduler.add(slot)
      throw error
    } finally {
      if (!row) scheduler.leave(slot)
    }
    if (!row) return
    held.begun(slot)
    running.begin(row, slot)
  }

  /** Starts all due deliveries that have a slot, in small batches. */
  const beginDue = async (at: Instant, stopped?: AbortSignal): Promise<void> => {
    queueLanes(at)
    let begun = 0
    while (!stopped?.aborted) {
      const slot = scheduler.take()
      if (!slot) return
      beginIn(slot, at)
      begun += 1
      if (settling === 0 && begun <= begunApart) await nextMoment()
      else if (begun % begunAtOnce === 0) await nextTurn()
    }
  }

  const isAnythingLeft = (at: Instant): boolean =>
    queue
      .dueAnywhere(at, running.backingOffCount() + 1)
      .some((subject) => !running.isBackingOff(subject))

  const settleAll = async (at: Instant, stopped: AbortSignal): Promise<void> => {
    await bringForward(at)
    while (!stopped.aborted) {
      await beginDue(now(), stopped)
      if (running.count() === 0 || !isAnythingLeft(at)) return
      await running.nextEnd()
    }
  }

  return {
    /** Starts due deliveries without waiting for them. */
    work: async (at: Instant): Promise<Instant | null> => {
      await bringForward(at)
      noteCheck(at)
      await beginDue(at)
      const next = queue.nextDue(at)
      return firstOf(next, running.firstBackOffEnd(), held.firstEnd())
    },
    /** Resolves when everything due at the call has been attempted. */
    settle: async (stopped: AbortSignal): Promise<void> => {
      settling += 1
      try {
        await settleAll(now(), stopped)
      } finally {
        settling -= 1
      }
    },
    idle: async (): Promise<void> => {
      while (running.count() > 0) await running.nextEnd()
    },
  }
}
