import { callbackEvents, type LoggedMessage, type DeliveryLane } from '../domain/callback.ts'
import { displayOf, displayTexts, streamOfSubject, subjectOfRun } from '../domain/callback-names.ts'
import { runOfReplay } from '../domain/merchant/event-destination.ts'
import type { Recorded } from '../domain/events.ts'
import { payments } from '../domain/aggregates.ts'
import { isPaymentEvent } from '../domain/payment/payment-events.ts'
import { permissionEvents, type PermissionEvent } from '../domain/people/permission.ts'
import { categoryOf, idIn } from '../domain/stream.ts'
import type { PaymentRecorded } from './payment-lines.ts'
import { callbackDestinations as trouble } from './callback-destinations.ts'
import { projection, type Key } from './projection.ts'
import {
  attempted,
  callbackQueue,
  emptyQueue,
  fed,
  movedTo,
  positioned,
  retried,
  type CallbackQueueRow,
  withMessage,
  withoutEnded,
  isToBeSent,
  isUnfinished,
} from './queued-messages.ts'
import { reportKey } from './reports.ts'
import { announcedBy } from './gathered-messages.ts'
import { and, asc, desc, gt, lte, not, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Instant } from '../domain/time.ts'
import { nextBy, columnsOf, countOf, findBy, param, rowsOf, same, type Chosen } from './prepared.ts'

export const { subject, merchant, destination, dueAt, position } = callbackQueue

export const now = param('now')

export type Due = { readonly [Member in keyof DeliveryLane]: DeliveryLane[Member] | null }

export const laneIn = ({ merchant, destination }: Due): DeliveryLane[] =>
  destination === null ? [] : [{ merchant, destination }]

/**
 * Finds lanes that became due; the cost grows with their number, not with the size of the queue.
 */
export const newlyDueIn = (db: BetterSQLite3Database) => {
  const columns = { merchant, destination, dueAt, position }
  const select = (chosen: Chosen) => columnsOf(db, callbackQueue, { columns, ...chosen })
  const lastChange = select({ where: [isToBeSent], order: [desc(position)], limit: 1 })
  // Filtered afterwards: with this condition, SQLite might scan everything that is due.
  const isChanged = [gt(position, param('position')), isToBeSent]
  const changes = select({ where: isChanged, order: [asc(position)] })
  const became = columnsOf(db, callbackQueue, {
    columns: { merchant, destination },
    where: [gt(dueAt, param('after')), lte(dueAt, now)],
    isDistinct: true,
  })

  return (now: Instant, lastCheck: { readonly at: Instant; readonly position: number } | null) => {
    // Changes first: anything between the two reads is found by the next check.
    const changed = lastCheck ? changes.all({ position: lastCheck.position }) : []
    const last = lastCheck ? (changed.at(-1) ?? lastCheck) : lastChange.get()
    const changedLanes = changed
      .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
      .flatMap(laneIn)
    const elapsed = became.all({ after: lastCheck?.at ?? -Infinity, now }).flatMap(laneIn)
    return {
      changed: changedLanes,
      elapsed,
      lastCheck: { at: now, position: last?.position ?? -1 },
    }
  }
}

export const dueIn = (db: BetterSQLite3Database) => {
  const select = (...where: readonly SQL[]) => {
    const chosen = { where: [...where, lte(dueAt, now)], order: [asc(dueAt)] }
    return columnsOf(db, callbackQueue, { columns: { subject }, ...chosen, limit: param('limit') })
  }
  // `is` also matches null, for messages without a merchant.
  const atLane = select(sql`${merchant} is ${param('merchant')}`, same(destination))
  const anywhere = select()
  const subjectOf = (row: { readonly subject: string }): string => row.subject
  return {
    /** Resources whose first message to this lane is due, longest due first. */
    due: ({ merchant, destination }: DeliveryLane, now: Instant, limit: number): string[] =>
      atLane.all({ merchant, destination, now, limit }).map(subjectOf),
    /** The same for all lanes. */
    dueAnywhere: (now: Instant, limit: number): string[] =>
      anywhere.all({ now, limit }).map(subjectOf),
    nextDue: nextBy(db, callbackQueue, dueAt),
  }
}

/** The first 48 bits of an event's id are its time in ms, if its version is 8. */
const timeIn = (id: string): Instant | undefined =>
  id.charAt(14) === '8' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

type Oldest = Readonly<Record<'due' | 'held' | 'later' | 'abandoned', Instant | undefined>>

/** Nothing is sent there now; of event destinations nothing is said. */
const isHeld = sql`(${destination} not like 'http%' or exists (
  select 1 from ${trouble} where ${trouble.key} = ${merchant} || '/' || ${destination}
    and (${trouble.restedAt} is not null or ${trouble.pausedUntil} > ${now})))`

/**
 * Since when the oldest message has been due; of those that are held, will be tried again or were
 * given up, when its event happened. It reads all undelivered messages.
 */
const oldestIn = (db: BetterSQLite3Database) => {
  const least = (what: SQL, ...where: readonly SQL[]) =>
    db
      // With a second sum SQLite looks for an index for the condition, not for the least.
      .select({ found: sql<string | number | null>`min(${what})`, of: sql`count(*)` })
      .from(callbackQueue)
      .where(and(...where))
      .prepare()
  const first = sql`waiting ->> '$[0].id'`
  const isDue = lte(dueAt, now)
  const due = least(sql`${dueAt}`, isDue, not(isHeld))
  const held = least(first, isDue, isHeld)
  const later = least(first, gt(dueAt, now))
  const abandoned = least(
    sql`abandoned ->> '$[0].id'`,
    sql`(${isUnfinished})`,
    sql`abandoned <> '[]'`,
  )
  const timeOf = (row: { readonly found: unknown } | undefined) => timeIn(String(row?.found))
  return (at: Instant): Oldest => ({
    due: (due.get({ now: at })?.found as number | null) ?? undefined,
    held: timeOf(held.get({ now: at })),
    later: timeOf(later.get({ now: at })),
    abandoned: timeOf(abandoned.get()),
  })
}

export const callbackQueueQueries = (db: BetterSQLite3Database) => {
  const isDue = [same(subject), lte(dueAt, now)]
  const lane = columnsOf(db, callbackQueue, { columns: { merchant, destination }, where: isDue })
  const later = rowsOf(db, callbackQueue, { where: [gt(dueAt, param('then')), isToBeSent] })
  const unfinished = rowsOf(db, callbackQueue, { where: [isUnfinished] })
  const countWhere = (condition: SQL) =>
    db
      .select({ count: sql<number>`count(*)` })
      .from(callbackQueue)
      .where(condition)
      .prepare()
  const [dueNow, dueLater] = [countWhere(lte(dueAt, now)), countWhere(gt(dueAt, now))]
  return {
    ...dueIn(db),
    /**
     * Lanes that became due since the last check: `changed` by an event, `elapsed` by time. The
     * first check finds all.
     */
    newlyDue: newlyDueIn(db),
    find: findBy(db, callbackQueue, subject),
    /** Lane of a resource's first message, if due. */
    laneOf: (subject: string, now: Instant): DeliveryLane | undefined =>
      lane.all({ subject, now }).flatMap(laneIn)[0],
    dueAfter: (then: Instant) => later.all({ then }),
    /** Resources whose first message is due now, or will be tried again. */
    dueCount: (at: Instant): number => dueNow.get({ now: at })?.count ?? 0,
    laterCount: (at: Instant): number => dueLater.get({ now: at })?.count ?? 0,
    /** For the operator. */
    unfinished: () => unfinished.all(),
    unfinishedCount: countOf(db, callbackQueue, isUnfinished),
    oldest: oldestIn(db),
  }
}

/**
 * Queues the message of an event; a resource without an address gets a row for counting. Payments
 * count their own messages.
 */
const enqueue = (
  row: CallbackQueueRow | undefined,
  event: Recorded,
  subject: Key,
): CallbackQueueRow | undefined => {
  const message = announcedBy(event, subject)
  const { merchant } = event.metadata
  const counted =
    row ?? (merchant === null ? undefined : emptyQueue(String(subject), merchant, null))
  return message && counted
    ? withMessage(counted, { ...event, ...message, at: event.metadata.at })
    : row
}

/** Queues only the payer's steps for the display. */
const displayed = (
  row: CallbackQueueRow | undefined,
  event: PaymentRecorded,
): CallbackQueueRow | undefined => {
  const { type, stream, metadata, data } = event
  switch (type) {
    case 'PaymentRequested': {
      const { displayMessageUri } = data.request
      return displayMessageUri === null
        ? undefined
        : emptyQueue(displayOf(stream), metadata.merchant, displayMessageUri)
    }
    case 'PaymentAmended':
      return data.displayMessageUri === undefined
        ? row
        : movedTo(data.displayMessageUri, row, displayOf(stream), metadata)
    default:
      // Without an address there is no display.
      return row && row.callbackUri !== null ? enqueue(row, event, displayOf(stream)) : row
  }
}

/** Queues that an event of a payment may change itself. */
const paymentQueues = ({ type, stream }: PaymentRecorded): string[] =>
  type === 'PaymentRequested' || type === 'PaymentAmended'
    ? [stream, displayOf(stream)]
    : [displayOf(stream)]

/** Whether the payment counts the messages; its display has a count of its own. */
const isPaymentItself = (subject: string): boolean =>
  categoryOf(subject) === payments.category && streamOfSubject(subject) === subject

const queueProjection = projection({
  table: callbackQueue,
  handles: [
    'PaymentRequested',
    'PaymentAmended',
    ...(Object.keys(displayTexts) as (keyof typeof displayTexts)[]),
    'ReportClosed',
    'ReportCompleted',
    ...(Object.keys(permissionEvents) as PermissionEvent['type'][]),
    ...(Object.keys(callbackEvents) as (keyof typeof callbackEvents)[]),
    'ShortlinkRegistered',
    'ShortlinkChanged',
    'ShortlinkRemoved',
    'ShortlinkScanned',
    'SettlementMade',
    'DestinationRested',
    'NoticeRaised',
    'EventsQueued',
    'EventsReplayed',
    'MerchantRegistered',
    'MerchantChanged',
  ],
  begins: ['PaymentRequested', 'PermissionRequested'],
  keysOf: (event) => {
    if (isPaymentEvent(event)) return paymentQueues(event)
    const { type, stream, data } = event
    switch (type) {
      case 'CallbackAttempted':
      case 'CallbackRetryRequested':
        return [data.subject]
      case 'EventsQueued':
      case 'EventsReplayed': {
        const run = type === 'EventsQueued' ? idIn(stream) : runOfReplay(idIn(stream), data.replay)
        return [...new Set(data.messages.map((message) => subjectOfRun(message.subject, run)))]
      }
      case 'ReportClosed':
      case 'ReportCompleted':
        return [reportKey(stream, data.report)]
      case 'ShortlinkRegistered':
      case 'ShortlinkChanged':
      case 'ShortlinkRemoved':
        // Messages are about the shortlink's scans, which have their own stream.
        return [`scans-${idIn(stream)}`]
      case 'MerchantRegistered':
      case 'MerchantChanged':
        return [`settlement-${idIn(stream)}`]
      default:
        return [stream]
    }
  },
  apply: (row, event, key) => {
    const { stream, metadata } = event
    if (isPaymentEvent(event) && key === displayOf(stream)) return displayed(row, event)
    switch (event.type) {
      case 'PaymentRequested':
      case 'PermissionRequested': {
        const { callbackUri } = event.data.request
        return callbackUri === null ? undefined : emptyQueue(stream, metadata.merchant, callbackUri)
      }
      case 'PaymentAmended':
        return event.data.callbackUri === undefined
          ? row
          : movedTo(event.data.callbackUri, row, stream, metadata)
      case 'ShortlinkRegistered':
      case 'ShortlinkChanged': {
        const { id, merchant, callbackUri } = event.data
        // Its scans do not name the merchant.
        const known = row ?? emptyQueue(`scans-${id}`, merchant, null)
        return movedTo(callbackUri, known, `scans-${id}`, { merchant, at: metadata.at })
      }
      case 'MerchantRegistered':
      case 'MerchantChanged': {
        const { id: merchant, callbackUri } = event.data
        return movedTo(callbackUri, row, String(key), { merchant, at: metadata.at })
      }
      case 'ReportClosed': {
        const { callbackUri } = event.data
        return callbackUri === null
          ? undefined
          : emptyQueue(String(key), metadata.merchant, callbackUri)
      }
      case 'ShortlinkRemoved':
        // Undelivered messages without an address would wait for ever.
        return row && row.callbackUri === null ? { ...row, waiting: [], abandoned: [] } : row
      case 'CallbackTestRequested':
        return enqueue(emptyQueue(stream, metadata.merchant, event.data.uri), event, stream)
      case 'CallbackAttempted':
        return row && withoutEnded(attempted(row, event))
      case 'EventsQueued':
      case 'EventsReplayed':
        return fed(row, event, String(key))
      case 'CallbackRetryRequested':
        return retried(row ?? emptyQueue(event.data.subject, metadata.merchant, null), event)
      default:
        return enqueue(row, event, key)
    }
  },
  messages: {
    begins: false,
    keysOf: ({ isAddressed, subject }) =>
      isAddressed && isPaymentItself(subject) ? [subject] : [],
    apply: (row, message) => row && withMessage(row, message, message.seqno),
  },
})

const lastMessage = (
  before: CallbackQueueRow | undefined,
  after: CallbackQueueRow | undefined,
  event: Recorded,
): LoggedMessage | undefined => {
  if (!after || after.seqno === (before?.seqno ?? 0)) return undefined
  const { subject, merchant, seqno, callbackUri } = after
  const message = announcedBy(event, subject)
  const { revision, position, metadata } = event
  const about = { merchant, subject, revision, seqno, position, at: metadata.at }
  return message && { ...about, ...message, isAddressed: callbackUri !== null }
}

const { apply, messages } = queueProjection

export const callbackQueueProjection: typeof queueProjection = {
  ...queueProjection,
  message: lastMessage,
  apply: positioned(apply),
  messages: messages && { ...messages, apply: positioned(messages.apply) },
}
