import { callbacks, callbackDestinations, eventDestinations } from '../domain/aggregates.ts'
import type { Attempt, DeliveryLane, QueuedMessage } from '../domain/callback.ts'
import { channelOf } from '../domain/merchant/channel.ts'
import { keyOfAddress, type EventDestination } from '../domain/merchant/event-destination.ts'
import type { Instant } from '../domain/time.ts'
import type { QueueRow } from './callback-queue.ts'
import type { Find } from './find-state.ts'
import type { Recall, Context, Handle } from './handle.ts'
import type { Begun, Share } from './share.ts'
import { hasFailedTooLong, type RestedDestination } from '../domain/callback-destination.ts'
import { within } from '../domain/stream.ts'

type Answered = Pick<Attempt, 'result' | 'httpStatus' | 'problem' | 'durationMs' | 'retryAfterMs'>

export type AttemptNeeds = {
  /** Makes the destination of a failed attempt rest after days of failures. */
  readonly restIfDead: (lane: DeliveryLane) => Promise<void>
  readonly share: Share
  readonly find: Find
  readonly recall: Recall
  readonly caughtUp: () => Promise<void>
  /** The same at low priority. */
  readonly caughtUpInBackground: () => Promise<void>
  /** Sends nothing once the lease is lost. @throws StoreUnavailable */
  readonly send: (
    message: QueuedMessage,
    uri: string,
    merchant: string | null,
    /** How much longer it may be sent, in ms. */
    leftMs: () => number,
  ) => Promise<Answered>
  readonly now: () => Instant
  readonly newId: () => string
  readonly random: () => number
}

/** Shared by all attempts. */
type Around = {
  /** Whether a caller waits until everything is recorded. */
  readonly isHurried: () => boolean
  readonly recordTime: RecordTime
}

/** Calls `onDelivered` when a message has arrived and its record may be deferred. */
type Deliver = (
  row: QueueRow,
  lane: DeliveryLane,
  lease: Begun,
  onDelivered: () => void,
) => Promise<void>

type RecordTime = (destination: string, milliseconds: number) => void

const makeSend =
  ({ now, send }: AttemptNeeds, recordTime: RecordTime) =>
  async (
    message: QueuedMessage,
    uri: string,
    { destination, merchant }: DeliveryLane,
    { leftMs }: Begun,
  ): Promise<Attempt> => {
    const startedAt = now()
    const answered = await send(message, uri, merchant, leftMs)
    recordTime(destination, now() - startedAt)
    const { subject, revision, event, seqno } = message
    const attemptedAt = now()
    // Merging them with spreads would take ten times the memory.
    return Object.assign({ subject, revision, event, seqno, uri, attemptedAt }, answered)
  }

type AddressedRow = QueueRow & { readonly callbackUri: string }

const isAddressed = (row: QueueRow): row is AddressedRow => row.callbackUri !== null

type Recording = {
  readonly attempt: Attempt
  /** Attempts recorded when this one started. */
  readonly after: number
  readonly merchant: string | null
  /** No caller waits for it. */
  readonly mayWait: boolean
}

const actor = 'daybook'

const makeRecord =
  ({ now, newId, random, share }: AttemptNeeds) =>
  async (id: string, { attempt, after, merchant, mayWait }: Recording): Promise<void> => {
    // Channels publish a message when its record is appended.
    const urgency = mayWait && channelOf(attempt.uri) === undefined ? 'soon' : 'now'
    await share.handle(
      callbacks,
      id,
      { type: 'RecordAttempt', attempt, after, jitter: random() },
      { at: now(), merchant, actor, correlationId: newId(), causationId: id, urgency },
    )
  }

/** Sends the first message and records the outcome. */
const makeAttempt = (needs: AttemptNeeds, { isHurried, recordTime }: Around) => {
  const send = makeSend(needs, recordTime)
  const record = makeRecord(needs)
  /** Attempts not recorded yet. */
  const unrecorded = new Map<string, Attempt>()

  return {
    /** Returns whether the read models may catch up with the record in the background. */
    attempt: async (
      message: QueuedMessage,
      { merchant, waiting, callbackUri }: AddressedRow,
      lane: DeliveryLane,
      lease: Begun,
      onDelivered: () => void,
    ): Promise<boolean> => {
      const { id, attempts: after } = message
      const before = unrecorded.get(id)
      // An attempt counts only for its address.
      const isKnown = before?.uri === callbackUri
      const attempt = isKnown ? before : await send(message, callbackUri, lane, lease)
      unrecorded.set(id, attempt)
      // A failure may delay others, and a queued message behind this one waits for it.
      const mayWait = attempt.result === 'delivered' && waiting.length === 1 && !isHurried()
      if (mayWait) onDelivered()
      await record(id, { attempt, after, merchant, mayWait })
      return mayWait
    },
    isUnrecorded: (id: string): boolean => unrecorded.has(id),
    forget: (id: string): void => void unrecorded.delete(id),
  }
}

/**
 * Attempts deliveries and records each one before the next of its resource, so that a crash repeats
 * at most one message per resource.
 */
export const deliveryAttempts = (needs: AttemptNeeds, around: Around) => {
  const { attempt, isUnrecorded, forget } = makeAttempt(needs, around)
  /** Resources that failed last in this process: for these the queue may lag behind the log. */
  const doubtful = new Set<string>()

  /** Whether the log has only the attempts that the queue shows. */
  const isCurrent = async ({ id, subject, attempts }: QueuedMessage): Promise<boolean> => {
    // For a first attempt the cache is enough, unless this resource failed in this process.
    const isFirst = attempts === 0 && !doubtful.has(subject)
    const known = isFirst ? needs.recall(callbacks, id) : await needs.find(callbacks, id, 'log')
    return (known?.attempts ?? 0) === attempts
  }

  const deliver: Deliver = async (row, lane, lease, onDelivered) => {
    const { subject, waiting } = row
    const [message] = waiting
    if (!message || !isAddressed(row)) return
    const mayWait =
      (await isCurrent(message)) && (await attempt(message, row, lane, lease, onDelivered))
    forget(message.id)
    await (mayWait ? needs.caughtUpInBackground() : needs.caughtUp())
    if (!mayWait) await needs.restIfDead(lane)
    doubtful.delete(subject)
  }

  const deliverOrDoubt: Deliver = async (row, lane, lease, onDelivered) => {
    try {
      await deliver(row, lane, lease, onDelivered)
    } catch (error) {
      doubtful.add(row.subject)
      // Another lease holder would send it again.
      if (row.waiting[0] && isUnrecorded(row.waiting[0].id)) lease.keep()
      throw error
    }
  }
  return deliverOrDoubt
}

export type Row = {
  readonly failingSince: Instant | null
  readonly wokenAt: Instant | null
  readonly problem: string | null
  readonly restedAt: Instant | null
}

export type Needs = {
  readonly handle: Handle
  readonly findDestination: (merchant: string, destination: string) => Row | undefined
  readonly contextOf: (actor: string, merchant: string) => Context
  readonly onRested: (merchant: string, rested: RestedDestination) => void
  readonly findEventDestination: (merchant: string, key: string) => EventDestination | undefined
}

/** Makes an address rest, or disables an event destination, after days of failures only. */
export const restIfDead =
  ({ handle, findDestination, contextOf, onRested, findEventDestination }: Needs) =>
  async ({ merchant, destination }: DeliveryLane): Promise<void> => {
    const row = merchant === null ? undefined : findDestination(merchant, destination)
    if (merchant === null || !row || row.restedAt !== null) return
    const { problem } = row
    if (row.failingSince === null) return
    // Once woken, it is tried for as long as before.
    const failingSince = Math.max(row.failingSince, row.wokenAt ?? 0)
    const context = contextOf('daybook', merchant)
    if (!hasFailedTooLong(failingSince, context.at)) return
    const key = keyOfAddress(destination)
    const found = key === undefined ? undefined : findEventDestination(merchant, key)
    if (found) {
      const disable = { type: 'Change', merchant, changes: { enabled: false } } as const
      await handle(eventDestinations, within(merchant, found.id), disable, context)
      return
    }
    if (key !== undefined) return
    const failure = { destination, failingSince, problem }
    const id = within(merchant, destination)
    const command = { type: 'Rest', ...failure } as const
    const { events } = await handle(callbackDestinations, id, command, context)
    if (events.length > 0) onRested(merchant, failure)
  }
