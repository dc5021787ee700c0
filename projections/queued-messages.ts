import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type QueuedMessage, type LoggedMessage, waitsTooLong } from '../domain/callback.ts'
import { destinationOf } from '../domain/callback-destination.ts'
import { messageIdOfRun, runOfSubject } from '../domain/callback-names.ts'
import { addressOfRun } from '../domain/merchant/event-destination.ts'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import { categoryOf, idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import type { Key } from './projection.ts'

/** Undelivered messages. Must be written like the index condition, or SQLite scans every row. */
export const isUnfinished = sql`waiting <> '[]' or abandoned <> '[]'`

/** Condition of the indexes, which hold only rows with something to send. */
export const isToBeSent = sql`dueAt is not null`

/** Undelivered callback messages of each resource; the first one is sent next. */
export const callbackQueue = sqliteTable(
  'callback_queue',
  {
    /** A stream, or `<stream>#<part>`. */
    subject: text().primaryKey(),
    merchant: text(),
    callbackUri: text(),
    /** Scheme and host of the address; null if nothing is to be sent. */
    destination: text(),
    /** Null if nothing can be sent. */
    dueAt: integer(),
    seqno: integer().notNull(),
    waiting: text({ mode: 'json' }).$type<readonly QueuedMessage[]>().notNull(),
    /** Given up until the operator retries them. */
    abandoned: text({ mode: 'json' }).$type<readonly QueuedMessage[]>().notNull(),
    /** Position of the event that changed it last, to find changes without a scan. */
    position: integer().notNull(),
  },
  (row) => [
    index('callback_queue_by_lane').on(row.merchant, row.destination, row.dueAt).where(isToBeSent),
    index('callback_queue_by_due').on(row.dueAt).where(isToBeSent),
    index('callback_queue_by_position').on(row.position).where(isToBeSent),
    index('callback_queue_unfinished').on(row.subject).where(isUnfinished),
  ],
)

export type CallbackQueueRow = typeof callbackQueue.$inferSelect

const bySeqno = (a: QueuedMessage, b: QueuedMessage): number => a.seqno - b.seqno

const byDue = (a: QueuedMessage, b: QueuedMessage): number =>
  Math.sign(a.attempts) - Math.sign(b.attempts) ||
  a.nextAttemptAt - b.nextAttemptAt ||
  bySeqno(a, b)

/** Messages of a resource are sent in order; scans are independent of each other. */
const inOrder = (subject: string, messages: readonly QueuedMessage[]): readonly QueuedMessage[] =>
  messages.length < 2
    ? messages
    : messages.toSorted(categoryOf(subject) === 'scans' ? byDue : bySeqno)

const queued = (row: CallbackQueueRow): CallbackQueueRow => {
  const { callbackUri } = row
  const waiting = inOrder(row.subject, row.waiting)
  const dueAt = callbackUri === null ? null : (waiting[0]?.nextAttemptAt ?? null)
  return { ...row, waiting, dueAt, destination: dueAt === null ? null : destinationOf(callbackUri) }
}

export const emptyQueue = (
  subject: string,
  merchant: string | null,
  callbackUri: string | null,
): CallbackQueueRow => ({
  subject,
  merchant,
  callbackUri,
  destination: null,
  dueAt: null,
  seqno: 0,
  waiting: [],
  abandoned: [],
  position: 0,
})

export const withMessage = (
  row: CallbackQueueRow,
  { id, revision, event, at }: Pick<LoggedMessage, 'id' | 'revision' | 'event' | 'at'>,
  seqno = row.seqno + 1,
): CallbackQueueRow => {
  // It is counted anyway, because the feed contains it.
  if (row.callbackUri === null) return { ...row, seqno }
  const message = { id, subject: row.subject, revision, event, seqno }
  const next = { ...message, attempts: 0, nextAttemptAt: at }
  return queued({ ...row, seqno, waiting: [...row.waiting, next] })
}

/**
 * Messages postponed by a clock that was ahead are retried once others are sent with the correct
 * clock.
 */
const broughtForward = (messages: readonly QueuedMessage[], at: Instant) =>
  messages.some((message) => waitsTooLong(message, at))
    ? messages.map((message) =>
        waitsTooLong(message, at) ? { ...message, nextAttemptAt: at } : message,
      )
    : messages

export const attempted = (
  row: CallbackQueueRow,
  { stream, data }: Recorded<Extract<DomainEvent, { type: 'CallbackAttempted' }>>,
): CallbackQueueRow => {
  const id = idIn(stream)
  const message = row.waiting.find((waiting) => waiting.id === id)
  // It was abandoned while another attempt succeeded.
  if (!message && data.result === 'delivered')
    return { ...row, abandoned: row.abandoned.filter((one) => one.id !== id) }
  if (!message) return row
  const behind = row.waiting.filter((waiting) => waiting !== message)
  const others = broughtForward(behind, data.attemptedAt)
  const attempts = message.attempts + 1
  // A failure at an earlier address says nothing about the current one.
  const isOfEarlierAddress = data.result !== 'delivered' && data.uri !== row.callbackUri
  const nextAttemptAt = isOfEarlierAddress ? data.attemptedAt : data.nextAttemptAt
  if (nextAttemptAt !== null) {
    // In logs from before unaddressed messages were counted, the number may differ.
    const { seqno, retryAfterMs } = data
    const delay = retryAfterMs === undefined ? {} : { retryAfterMs }
    const { retryAfterMs: _, ...before } = message
    const again = { ...before, ...delay, seqno, attempts, nextAttemptAt }
    return queued({ ...row, waiting: [...others, again] })
  }
  if (data.result === 'delivered') return queued({ ...row, waiting: others })
  return queued({
    ...row,
    waiting: others,
    abandoned: [...row.abandoned, { ...message, attempts }],
  })
}

export const retried = (
  row: CallbackQueueRow,
  { stream, data }: Recorded<Extract<DomainEvent, { type: 'CallbackRetryRequested' }>>,
): CallbackQueueRow => {
  const isOther = (message: QueuedMessage) => message.id !== idIn(stream)
  const again = { ...data, id: idIn(stream), attempts: 0 }
  const waiting = [...row.waiting.filter(isOther), again]
  return queued({ ...row, waiting, abandoned: row.abandoned.filter(isOther) })
}

/** A new address is tried at once. */
const redirected = (
  row: CallbackQueueRow,
  callbackUri: string | null,
  at: Instant,
): CallbackQueueRow => {
  if (row.callbackUri === callbackUri) return row
  const waiting = row.waiting.map((message) => ({
    ...message,
    nextAttemptAt: Math.min(message.nextAttemptAt, at),
  }))
  return queued({ ...row, callbackUri, waiting })
}

/** Callbacks go to the address registered when they are sent. */
export const movedTo = (
  callbackUri: string | null,
  row: CallbackQueueRow | undefined,
  subject: string,
  { merchant, at }: { readonly merchant: string | null; readonly at: Instant },
): CallbackQueueRow | undefined =>
  !row && callbackUri === null
    ? undefined
    : redirected(row ?? emptyQueue(subject, merchant, null), callbackUri, at)

/** Queues the messages about one resource to an event destination. */
export const fed = (
  row: CallbackQueueRow | undefined,
  event: Recorded<Extract<DomainEvent, { type: 'EventsQueued' | 'EventsReplayed' }>>,
  key: string,
): CallbackQueueRow | undefined => {
  const { metadata, data } = event
  const { subject, run = '' } = runOfSubject(key) ?? {}
  const { at, merchant } = metadata
  return data.messages
    .filter((message) => message.subject === subject)
    .reduce(
      (queue, { id, seqno, ...message }) =>
        withMessage(queue, { ...message, id: messageIdOfRun(id, run), at }, seqno),
      row ?? emptyQueue(key, merchant, addressOfRun(run)),
    )
}

/**
 * Removes the row of an event destination once nothing waits. What was given up comes again by
 * replay only.
 */
export const withoutEnded = (row: CallbackQueueRow): CallbackQueueRow | undefined => {
  if (runOfSubject(row.subject) === undefined) return row
  return row.waiting.length === 0 ? undefined : { ...row, abandoned: [] }
}

type Changing = { readonly position: number }

/** Adds the position of the event that changed the row last. */
export const positioned =
  <Fact extends Changing>(
    apply: (
      row: CallbackQueueRow | undefined,
      fact: Fact,
      key: Key,
    ) => CallbackQueueRow | undefined,
  ) =>
  (row: CallbackQueueRow | undefined, fact: Fact, key: Key): CallbackQueueRow | undefined => {
    const after = apply(row, fact, key)
    return after && after !== row ? { ...after, position: fact.position } : after
  }
