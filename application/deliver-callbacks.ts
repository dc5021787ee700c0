import { type DeliveryLane, waitsTooLong } from '../domain/callback.ts'
import { freshBefore } from '../domain/merchant/event-destination.ts'
import { type Instant, clockToleranceMs, isAhead } from '../domain/time.ts'
import type { CallbackQueue, DueCheck, QueueRow } from './callback-queue.ts'
import { deliveryAttempts, type AttemptNeeds } from './delivery-attempts.ts'
import { nextMoment, nextTurn } from './time-budget.ts'
import type { Share } from './share.ts'
import { makeDeliverySlots, slotsPerDestination, type Slot } from './delivery-slots.ts'
import { callbacks } from '../domain/aggregates.ts'

type PostponedNeeds = {
  readonly queue: Pick<CallbackQueue, 'dueAfter'>
  readonly share: Share
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
}

/** Retries messages now that a clock ahead of time postponed. */
export const bringForwardMessages = ({ queue, share, caughtUp, newId }: PostponedNeeds) => {
  let latestCheck: Instant | undefined

  return {
    noteCheck: (at: Instant): void => {
      latestCheck = Math.max(at, latestCheck ?? at)
    },
    /** Does something only at the start and after the clock was set back. */
    bringForward: async (at: Instant): Promise<void> => {
      if (latestCheck !== undefined && !isAhead(latestCheck, at)) return
      const postponed = queue
        .dueAfter(at + clockToleranceMs)
        .filter(({ waiting: [first] }) => first && waitsTooLong(first, at))
      for (const { merchant, waiting } of postponed) {
        const [first] = waiting
        if (!first || !share.isOwn(merchant)) continue
        const { id, attempts: _, nextAttemptAt: __, ...message } = first
        const context = { at, merchant, actor: 'daybook', correlationId: newId() }
        await share.handle(callbacks, id, { type: 'BringForward', at, message }, context)
      }
      if (postponed.length > 0) await caughtUp()
      latestCheck = undefined
    },
  }
}

type RunNeeds = {
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
const runningDeliveries = (
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

/** Why a destination is held back: it rests, or asked for fewer requests. */
type DestinationTrouble = {
  readonly pausedUntil: Instant | null
  readonly restedAt: Instant | null
}

type FindTrouble = (merchant: string, destination: string) => DestinationTrouble | undefined

/** How often a held lane is checked again. */
const lookAgainMs = 1000

/** The same for a replay that has to wait, because more fresh messages than these wait. */
const [replayAgainMs, mostBefore] = [20, 8]

const keyOf = ({ merchant, destination }: DeliveryLane): string =>
  JSON.stringify([merchant, destination])

/**
 * Lanes that must not send now. After asking for fewer requests, a destination gets one message at
 * a time until it accepts one.
 */
const heldLanes = (findTrouble: FindTrouble) => {
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
    holdReplay: (lane: DeliveryLane, at: Instant): void =>
      void held.set(keyOf(lane), { lane, until: at + replayAgainMs }),
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

type Needs = AttemptNeeds &
  RunNeeds & { readonly queue: CallbackQueue; readonly findTrouble: FindTrouble }

/** Up to this many deliveries start one millisecond apart, so that a request rarely meets two. */
const begunApart = 32

/** Beyond that, this many start in each turn of the event loop. */
const begunAtOnce = 2

type Running = ReturnType<typeof runningDeliveries>

type Scheduler = ReturnType<typeof makeDeliverySlots>

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

  const isBehindFresh = ({ merchant, destination }: DeliveryLane, at: Instant): boolean => {
    const fresh = freshBefore(destination)
    return fresh !== undefined && readyIn({ merchant, destination: fresh }, at).length > mostBefore
  }

  return {
    /** The next delivery of a lane; requeues the lane if there are more. */
    nextOf: (lane: DeliveryLane, at: Instant): QueueRow | undefined => {
      if (!share.isOwn(lane.merchant) || held.hold(lane, at)) return undefined
      if (isBehindFresh(lane, at)) return void held.holdReplay(lane, at)
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
  const scheduler = makeDeliverySlots()
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
