import type { Attempt, Message } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import { callbacks } from './aggregates.ts'
import type { Find, Handle } from './handle.ts'

type Waiting = Message & {
  readonly id: string
  /** Recorded, since they were counted anew. */
  readonly attempts: number
}

export type Queue = {
  destinations(now: Instant): readonly string[]
  due(destination: string, now: Instant, limit: number): readonly QueueRow[]
  /** The next instant after now at which something becomes due. */
  nextDue(now: Instant): Instant | null
}

export type QueueRow = {
  readonly subject: string
  readonly merchant: string | null
  readonly callbackUri: string | null
  readonly waiting: readonly Waiting[]
}

type Needs = {
  readonly queue: Queue
  readonly handle: Handle
  readonly find: Find
  readonly caughtUp: () => Promise<void>
  readonly send: (
    message: Waiting,
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

const atOnceToOneDestination = 16
const restAfterFailureMs = 1000

/**
 * Delivers callback messages: in order for each resource, and with independent progress for each destination. What was
 * tried is recorded before the next try, so a crash between the two at worst delivers once more; while nothing can be
 * recorded, and while the queue does not show what was, nothing is sent again.
 */
export const deliverCallbacks = (needs: Needs) => {
  const { queue, now } = needs
  const underWay = new Map<string, Promise<void>>()
  /** What was tried and could not be recorded yet. */
  const unrecorded = new Map<string, Attempt>()
  /** Until when a resource rests whose delivery failed here. */
  const resting = new Map<string, Instant>()

  const attempt = async ({ subject, merchant, callbackUri: uri, waiting }: QueueRow) => {
    const [message] = waiting
    if (!message || uri === null) return
    const { revision, event, seqno, id, attempts: after } = message

    const tryOnce = async (): Promise<Attempt> => {
      const result = await needs.send(message, uri)
      return { subject, revision, event, seqno, uri, attemptedAt: now(), ...result }
    }

    // When the log knows of other attempts, the queue is behind: the message only looks due.
    if ((await needs.find(callbacks, id, 'log')).attempts === after) {
      const attempt = unrecorded.get(id) ?? (await tryOnce())
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
  }

  const begin = (row: QueueRow): void => {
    const delivery = attempt(row)
      .catch((error: unknown) => {
        resting.set(row.subject, now() + restAfterFailureMs)
        needs.onFailure(error)
      })
      .then(() => {
        underWay.delete(row.subject)
        needs.onEnd()
      })
    underWay.set(row.subject, delivery)
  }

  /** Begins what was due at an instant and neither rests nor waits for a place; answers what is under way of it. */
  const beginDue = (at: Instant): Promise<void>[] => {
    for (const [subject, until] of resting) if (until <= at) resting.delete(subject)
    return queue.destinations(at).flatMap((destination) => {
      const rows = queue
        .due(destination, at, atOnceToOneDestination + resting.size)
        .filter(({ subject }) => !resting.has(subject))
        .slice(0, atOnceToOneDestination)
      for (const row of rows) if (!underWay.has(row.subject)) begin(row)
      return rows.flatMap(({ subject }) => underWay.get(subject) ?? [])
    })
  }

  /** Begins what is due, without waiting for it to end. */
  const work = async (at: Instant): Promise<Instant | null> => {
    beginDue(at)
    const next = queue.nextDue(at)
    return resting.size === 0 ? next : Math.min(next ?? Infinity, ...resting.values())
  }

  /** Waits until all that is due now has been tried; what becomes due meanwhile is not waited for. */
  const settle = async (): Promise<void> => {
    const at = now()
    for (;;) {
      const begun = beginDue(at)
      if (begun.length === 0) return
      await Promise.race(begun)
    }
  }

  /** Waits until nothing is under way. */
  const idle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay.values())
  }

  return { work, settle, idle }
}
