import {
  waitsTooLong,
  type Attempt,
  type DeliveryLane,
  type QueuedMessage,
} from '../domain/callback.ts'
import { clockToleranceMs, isAhead, type Instant } from '../domain/time.ts'
import { callbacks } from '../domain/aggregates.ts'
import type { CallbackQueue, QueueRow, Seen } from './callback-queue.ts'
import type { Find, Handle, Recall } from './handle.ts'
import { makeFairScheduler, placesOfDestination, type Place } from './fair-scheduler.ts'

type Needs = {
  readonly queue: CallbackQueue
  readonly handle: Handle
  readonly find: Find
  readonly recall: Recall
  readonly caughtUp: () => Promise<void>
  readonly send: (
    message: QueuedMessage,
    uri: string,
  ) => Promise<Pick<Attempt, 'result' | 'httpStatus' | 'problem'>>
  readonly now: () => Instant
  readonly newId: () => string
  readonly random: () => number
  /** Called when a delivery has ended, well or not, and another may begin. */
  readonly onEnd: () => void
  /** Called when the log could not be read or written: a failure of ours, not of the receiver. */
  readonly onFailure: (error: unknown) => void
}

const restAfterFailureMs = 1000

/**
 * Delivers callback messages: in order for each resource, and with independent progress for each destination. What was
 * tried is recorded before the next try, so a crash between the two at worst delivers once more; while nothing can be
 * recorded, and while the queue does not show what was, nothing is sent again.
 */
export const deliverCallbacks = (needs: Needs) => {
  const { queue, now } = needs
  const turns = makeFairScheduler()
  let seen: Seen | null = null
  const underWay = new Set<string>()
  /** Resources whose next message may be due, wherever it now goes. */
  const ended = new Set<string>()
  const waitingForEnd: (() => void)[] = []
  /** What was tried and could not be recorded yet. */
  const unrecorded = new Map<string, Attempt>()
  /** Resources whose delivery failed here, with the end of their rest; the earliest end first. */
  const resting = new Map<string, Instant>()
  /** Resources whose delivery failed here and has not worked since: the queue may not show yet what was recorded. */
  const doubtful = new Set<string>()

  const deliver = async (
    { subject, merchant, callbackUri: uri, waiting }: QueueRow,
    { destination }: DeliveryLane,
  ) => {
    const [message] = waiting
    if (!message || uri === null) return
    const { revision, event, seqno, id, attempts: after } = message

    const tryOnce = async (): Promise<Attempt> => {
      const begun = now()
      const result = await needs.send(message, uri)
      turns.noteTime(destination, now() - begun)
      return { subject, revision, event, seqno, uri, attemptedAt: now(), ...result }
    }

    // If the log holds other attempts than the queue shows, the queue lags behind and the message is not due. A first
    // attempt, the usual case, saves the read: memory is enough, unless a delivery of this resource has failed here.
    const isFirst = after === 0 && !doubtful.has(subject)
    const known = isFirst ? needs.recall(callbacks, id) : await needs.find(callbacks, id, 'log')
    if ((known?.attempts ?? 0) === after) {
      const before = unrecorded.get(id)
      // What was tried at an address counts for that one only: it may have changed meanwhile.
      const attempt = before?.uri === uri ? before : await tryOnce()
      unrecorded.set(id, attempt)
      await needs.handle(
        callbacks,
        id,
        { type: 'RecordAttempt', attempt, after, jitter: needs.random() },
        { at: now(), merchant, actor: 'daybook', correlationId: needs.newId(), causationId: id },
      )
    }
    unrecorded.delete(id)
    await needs.caughtUp()
    doubtful.delete(subject)
  }

  const end = (subject: string, place: Place): void => {
    underWay.delete(subject)
    turns.leave(place)
    ended.add(subject)
    needs.onEnd()
    for (const goOn of waitingForEnd.splice(0)) goOn()
  }

  const begin = (row: QueueRow, place: Place): void => {
    underWay.add(row.subject)
    void deliver(row, place)
      .catch((error: unknown) => {
        resting.set(row.subject, now() + restAfterFailureMs)
        doubtful.add(row.subject)
        needs.onFailure(error)
      })
      .then(() => end(row.subject, place))
  }

  const isFree = (subject: string): boolean => !underWay.has(subject) && !resting.has(subject)

  /** Resources of a lane whose delivery may begin: at least two, if there are so many. */
  const freeAt = (lane: DeliveryLane, at: Instant): readonly string[] => {
    const due = queue.due(lane, at, placesOfDestination + 1)
    const free = due.filter(isFree)
    if (free.length > 1 || due.length <= placesOfDestination) return free
    // The first ones rest, or are still under way to an earlier address: look further, past all of these.
    return queue.due(lane, at, underWay.size + resting.size + 2).filter(isFree)
  }

  /** What a lane is to deliver next, if anything; when there is more, it has another turn. */
  const nextAt = (lane: DeliveryLane, at: Instant): QueueRow | undefined => {
    const [subject, another] = freeAt(lane, at)
    if (another !== undefined) turns.add(lane)
    const row = subject === undefined ? undefined : queue.find(subject)
    // When it has changed since it was listed, `newlyDue` finds it by that change.
    return row?.destination === lane.destination && (row.dueAt ?? Infinity) <= at ? row : undefined
  }

  const beginAt = (place: Place, at: Instant): void => {
    let row: QueueRow | undefined
    try {
      row = nextAt(place, at)
    } catch (error) {
      // What could not be read is looked at again.
      turns.add(place)
      throw error
    } finally {
      if (!row) turns.leave(place)
    }
    if (row) begin(row, place)
  }

  /** Gives a turn to every lane in which something has become due. */
  const lineUp = (at: Instant): void => {
    for (const [subject, until] of resting) {
      // By a clock that was put back a rest would last as long as that goes on.
      if (at < until && at >= until - restAfterFailureMs) break
      resting.delete(subject)
      ended.add(subject)
    }
    for (const subject of ended) {
      const lane = queue.laneOf(subject, at)
      if (lane) turns.add(lane)
      ended.delete(subject)
    }
    const found = queue.newlyDue(at, seen)
    for (const lane of found.news) turns.add(lane, true)
    for (const lane of found.others) turns.add(lane)
    seen = found.seen
  }

  /** Begins what is due at an instant and neither rests nor waits for a place. */
  const beginDue = (at: Instant): void => {
    lineUp(at)
    for (let place = turns.take(); place; place = turns.take()) beginAt(place, at)
  }

  /** The latest look since messages were last brought forward. */
  let latestLook: Instant | undefined

  /** At first, and when the clock was put back, what waits for an instant of a clock that was ahead is tried at once. */
  const bringForward = async (at: Instant): Promise<void> => {
    if (latestLook !== undefined && !isAhead(latestLook, at)) return
    const ahead = queue
      .dueAfter(at + clockToleranceMs)
      .filter(({ waiting: [first] }) => first && waitsTooLong(first, at))
    for (const { merchant, waiting } of ahead) {
      const [first] = waiting
      if (!first) continue
      const { id, attempts: _, nextAttemptAt: __, ...message } = first
      const context = { at, merchant, actor: 'daybook', correlationId: needs.newId() }
      await needs.handle(callbacks, id, { type: 'BringForward', at, message }, context)
    }
    if (ahead.length > 0) await needs.caughtUp()
    latestLook = undefined
  }

  /** Begins what is due, without waiting for it to end. */
  const work = async (at: Instant): Promise<Instant | null> => {
    await bringForward(at)
    latestLook = Math.max(at, latestLook ?? at)
    beginDue(at)
    const next = queue.nextDue(at)
    const [rested] = resting.values()
    return rested === undefined ? next : Math.min(next ?? Infinity, rested)
  }

  const nextEnd = () => new Promise<void>((resolve) => waitingForEnd.push(resolve))

  const isLeft = (at: Instant): boolean =>
    queue.dueAnywhere(at, resting.size + 1).some((subject) => !resting.has(subject))

  /** Waits until all that is due now has been tried; what becomes due meanwhile is not waited for. */
  const settle = async (stopped: AbortSignal): Promise<void> => {
    const at = now()
    await bringForward(at)
    while (!stopped.aborted) {
      beginDue(now())
      if (underWay.size === 0 || !isLeft(at)) return
      await nextEnd()
    }
  }

  /** Waits until nothing is under way. */
  const idle = async (): Promise<void> => {
    while (underWay.size > 0) await nextEnd()
  }

  return { work, settle, idle }
}
