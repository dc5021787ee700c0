import { callbacks } from '../domain/aggregates.ts'
import type { Attempt, DeliveryLane, QueuedMessage } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import type { QueueRow } from './callback-queue.ts'
import type { Find } from './find-state.ts'
import type { Recall } from './handle.ts'
import type { Share } from './share.ts'

type Answered = Pick<Attempt, 'result' | 'httpStatus' | 'problem' | 'durationMs' | 'retryAfterMs'>

export type AttemptNeeds = {
  /** Rests the destination of a failed attempt that has failed for days. */
  readonly restIfDead: (lane: DeliveryLane) => Promise<void>
  readonly share: Share
  readonly find: Find
  readonly recall: Recall
  readonly caughtUp: () => Promise<void>
  /** Sends nothing once it may not. @throws StoreUnavailable */
  readonly send: (
    message: QueuedMessage,
    uri: string,
    merchant: string | null,
    /** For how long it may still be sent, in ms. */
    leftMs: () => number,
  ) => Promise<Answered>
  readonly now: () => Instant
  readonly newId: () => string
  readonly random: () => number
}

type RecordTime = (destination: string, milliseconds: number) => void

const makeSend =
  ({ now, send, share }: AttemptNeeds, recordTime: RecordTime) =>
  async (
    { subject, revision, event, seqno, ...message }: QueuedMessage,
    uri: string,
    { destination, merchant }: DeliveryLane,
  ): Promise<Attempt> => {
    const about = { subject, revision, event, seqno }
    const startedAt = now()
    const leftMs = () => share.leftMs(merchant)
    const result = await send({ ...message, ...about }, uri, merchant, leftMs)
    recordTime(destination, now() - startedAt)
    return { ...about, uri, attemptedAt: now(), ...result }
  }

/**
 * Attempts deliveries and records each attempt before the next, so a crash delivers at most one
 * message twice.
 */
export const deliveryAttempts = (needs: AttemptNeeds, recordTime: RecordTime) => {
  const { now } = needs
  const send = makeSend(needs, recordTime)
  /** Attempts that could not be recorded yet. */
  const unrecorded = new Map<string, Attempt>()
  /** Resources that failed here last: the queue may lag behind the log. */
  const doubtful = new Set<string>()

  /** Whether the log holds no other attempts than the queue shows. */
  const isCurrent = async ({ id, subject, attempts }: QueuedMessage): Promise<boolean> => {
    // For a first attempt the cache is enough, unless this resource failed here before.
    const isFirst = attempts === 0 && !doubtful.has(subject)
    const known = isFirst ? needs.recall(callbacks, id) : await needs.find(callbacks, id, 'log')
    return (known?.attempts ?? 0) === attempts
  }

  const deliver = async (row: QueueRow, lane: DeliveryLane): Promise<void> => {
    const { subject, merchant, callbackUri: uri, waiting } = row
    const [message] = waiting
    if (!message || uri === null) return
    const { id, attempts: after } = message
    if (await isCurrent(message)) {
      const before = unrecorded.get(id)
      // An attempt counts for its address only.
      const attempt = before?.uri === uri ? before : await send(message, uri, lane)
      unrecorded.set(id, attempt)
      await needs.share.handle(
        callbacks,
        id,
        { type: 'RecordAttempt', attempt, after, jitter: needs.random() },
        { at: now(), merchant, actor: 'daybook', correlationId: needs.newId(), causationId: id },
      )
    }
    unrecorded.delete(id)
    await needs.caughtUp()
    await needs.restIfDead(lane)
    doubtful.delete(subject)
  }

  return async (row: QueueRow, lane: DeliveryLane): Promise<void> => {
    try {
      await deliver(row, lane)
    } catch (error) {
      doubtful.add(row.subject)
      throw error
    }
  }
}
