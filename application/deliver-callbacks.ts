import type { Attempt, Message } from '../domain/callback.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import type { Instant } from '../domain/time.ts'
import { callbacks } from './aggregates.ts'
import type { EventStore } from './event-store.ts'
import type { Handle } from './handle.ts'

type Waiting = Message & { readonly id: string }

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
  readonly store: Pick<EventStore, 'readStream'>
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly send: (
    message: Waiting,
    history: readonly Recorded[],
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
 * tried is recorded before the next try, so a crash between the two at worst delivers once more.
 */
export const deliverCallbacks = (needs: Needs) => {
  const { queue, now } = needs
  const underWay = new Map<string, Promise<void>>()
  /** Until when a resource rests whose delivery failed here: what was sent but not recorded would be sent again. */
  const resting = new Map<string, Instant>()

  const attempt = async ({ subject, merchant, callbackUri: uri, waiting }: QueueRow) => {
    const [message] = waiting
    if (!message || uri === null) return
    const history = (await needs.store.readStream(subject)).map(parseEvent)
    const result = await needs.send(message, history, uri)
    const { revision, event, seqno, id } = message
    const at = now()
    const attempt = { subject, revision, event, seqno, uri, attemptedAt: at, ...result }
    await needs.handle(
      callbacks,
      id,
      { type: 'RecordAttempt', attempt, jitter: needs.random() },
      { at, merchant, actor: 'daybook', correlationId: needs.newId(), causationId: id },
    )
    // Until the queue knows, the message would look due still.
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
