import { scanCallbackName, type Attempt, type Message } from '../domain/callback.ts'
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
  /** Called when a delivery has ended and another may begin. */
  readonly onEnd: () => void
  readonly onFailure: (error: unknown) => void
}

const atOnceToOneDestination = 16

/**
 * Delivers callback messages: in order for each resource, and with independent progress for each destination. What was
 * tried is recorded before the next try, so a crash between the two at worst delivers once more.
 */
export const deliverCallbacks = (needs: Needs) => {
  const { queue, now } = needs
  const underWay = new Map<string, Promise<void>>()

  const attempt = async ({ subject, merchant, callbackUri: uri, waiting }: QueueRow) => {
    const [message] = waiting
    if (!message || uri === null) return
    const { revision, event, seqno, id } = message
    const from = event === scanCallbackName ? revision : 0
    const history = (await needs.store.readStream(subject, from)).map(parseEvent)
    const result = await needs.send(message, history, uri)
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
    const end = () => underWay.delete(row.subject)
    // A failure here is of the store, not of the receiver: looking again at once would send again at once.
    const delivery = attempt(row).then(
      () => {
        end()
        needs.onEnd()
      },
      (error: unknown) => {
        end()
        needs.onFailure(error)
      },
    )
    underWay.set(row.subject, delivery)
  }

  /** Begins what is due, without waiting for it to end. */
  const work = async (now: Instant): Promise<Instant | null> => {
    for (const destination of queue.destinations(now)) {
      const rows = queue.due(destination, now, atOnceToOneDestination)
      for (const row of rows) if (!underWay.has(row.subject)) begin(row)
    }
    return queue.nextDue(now)
  }

  /** Waits until nothing is under way. */
  const idle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay.values())
  }

  return { work, idle }
}
