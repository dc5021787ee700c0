import { eventDestinations, eventFeeds } from '../domain/aggregates.ts'
import type { Message } from '../domain/callback.ts'
import { displayCallbackName } from '../domain/callback-names.ts'
import {
  isFor,
  lanesOf,
  type EventDestination,
  type EventFeedCommand,
  type FedMessage,
} from '../domain/merchant/event-destination.ts'
import { refuse } from '../domain/refusal.ts'
import { categoryOf, idIn, merchantAndIdIn, streamOf, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import type { CallbackQueue } from './callback-queue.ts'
import { slotsPerDestination } from './delivery-slots.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'
import type { Share } from './share.ts'
import { nextTurn } from './time-budget.ts'

/** `position` is that of the registration: earlier messages come by replay only. */
type Row = { readonly position: number; readonly data: EventDestination }

/** `place`: rank in the merchant's feed. */
type Listed = FedMessage & { readonly place: number }

type Subject = { readonly ledger: string | null; readonly posId: string | null }

type Needs = {
  readonly destinations: () => readonly Row[]
  readonly messagesAfter: (merchant: string, after: number, limit: number) => readonly Listed[]
  readonly findPayment: (tid: string) => Subject | undefined
  readonly findPermission: (rid: string) => Pick<Subject, 'posId'> | undefined
  readonly queue: Pick<CallbackQueue, 'due'>
  readonly mostQueued: number
  readonly find: Find
  readonly share: Share
  readonly newId: () => string
  readonly caughtUp: () => Promise<void>
}

const pageSize = 128
const mostPages = 8
/** Replayed messages wait in the log, not in the queue, so that they can stay behind fresh ones. */
const mostReplayed = 32

const unfiltered = { ledger: null, posId: null }

/** What a subject belongs to. */
const makeSubjectOf =
  ({ findPayment, findPermission }: Pick<Needs, 'findPayment' | 'findPermission'>) =>
  (subject: string): Subject => {
    const id = idIn(subject)
    switch (categoryOf(subject)) {
      case 'payment':
        return findPayment(id) ?? unfiltered
      case 'permission':
        return { ...unfiltered, ...findPermission(id) }
      case 'ledger':
        return { ...unfiltered, ledger: merchantAndIdIn(id.split('#')[0] ?? '')[1] }
      default:
        return unfiltered
    }
  }

/** Messages of these go to the address in the request, and nowhere else. */
const isOfRequest = ({ event }: Pick<Message, 'event'>): boolean =>
  event === displayCallbackName || event === 'test_event'

type Gathered = {
  readonly place: number
  readonly messages: FedMessage[]
  readonly isEnd: boolean
}

/** The next matching messages of a merchant's feed, up to a place. */
const gathering = (needs: Needs) => {
  const subjectOf = makeSubjectOf(needs)
  return ({ data }: Row, from: number, until: number, limit: number): Gathered => {
    const messages: FedMessage[] = []
    let place = from
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = needs.messagesAfter(data.merchant, place, pageSize)
      for (const listed of page) {
        if (listed.place > until) return { messages, place: until, isEnd: true }
        place = listed.place
        const { id, subject, revision, event, seqno } = listed
        const isMatch = !isOfRequest(listed) && isFor(data, event, () => subjectOf(subject))
        if (isMatch) messages.push({ id, subject, revision, event, seqno })
        if (messages.length === limit) return { messages, place, isEnd: false }
      }
      if (page.length < pageSize) return { messages, place, isEnd: true }
    }
    return { messages, place, isEnd: false }
  }
}

/**
 * Queues each message of a merchant for its event destinations, fresh ones first. What a queue
 * cannot take waits in the log.
 * Long because both walks share what was looked at.
 */
export const feedDestinations = (needs: Needs) => {
  const { destinations, queue, mostQueued, find, share, newId, caughtUp } = needs
  const gather = gathering(needs)
  /** How far each destination has been looked at; the log records the last match only. */
  const lookedAt = new Map<string, number>()
  let queued = 0

  /** Returns whether another process has not gone on meanwhile. */
  const append = async (
    { data }: Row,
    at: Instant,
    command: EventFeedCommand,
  ): Promise<boolean> => {
    const context: Context = {
      at,
      merchant: data.merchant,
      actor: 'daybook',
      correlationId: newId(),
    }
    const { events } = await share.handle(eventFeeds, data.key, command, context)
    await caughtUp()
    queued += events.length
    return events.length > 0
  }

  const countIn = (merchant: string, lane: string, at: Instant, limit: number): number =>
    queue.due({ merchant, destination: lane }, at, limit).length

  /** Returns whether there may be more to queue now. */
  const feedFresh = async (row: Row, at: Instant): Promise<boolean> => {
    const { merchant, key } = row.data
    const [lane] = lanesOf(key)
    const known = lookedAt.get(key)
    if (known !== undefined && needs.messagesAfter(merchant, known, 1).length === 0) return false
    if (countIn(merchant, lane, Infinity, mostQueued) >= mostQueued) return false
    const { place: after } = await find(eventFeeds, key, 'log')
    const from = Math.max(after ?? -1, known ?? -1, 2 * row.position + 1)
    const { messages, place, isEnd } = gather(row, from, Infinity, pageSize)
    const command = { type: 'QueueEvents', after, place, messages } as const
    if (messages.length > 0 && !(await append(row, at, command))) return true
    lookedAt.set(key, place)
    return !isEnd
  }

  /** The same for a replay, while every fresh message is being sent. */
  const feedReplay = async (row: Row, at: Instant): Promise<boolean> => {
    const { merchant, key } = row.data
    const { replay, replays } = await find(eventFeeds, key, 'log')
    if (!replay) return false
    const [fresh, lane] = lanesOf(key)
    if (countIn(merchant, fresh, at, slotsPerDestination + 1) > slotsPerDestination) return false
    if (countIn(merchant, lane, Infinity, mostReplayed) >= mostReplayed) return false
    const found = gather(row, replay.place, replay.until, pageSize)
    const place = found.isEnd ? replay.until : found.place
    const about = { after: replay.place, replay: replays, place, messages: found.messages }
    await append(row, at, { type: 'ReplayEvents', ...about })
    return !found.isEnd
  }

  /** Returns whether anything was queued. */
  return async (now: Instant, stopped: AbortSignal): Promise<boolean> => {
    const before = queued
    for (const row of destinations()) {
      const { merchant, enabled } = row.data
      if (!enabled || !share.isOwn(merchant)) continue
      await share.using(merchant, async () => {
        while (!stopped.aborted && (await feedFresh(row, now))) await nextTurn()
        while (!stopped.aborted && (await feedReplay(row, now))) await nextTurn()
      })
    }
    return queued > before
  }
}

type ReplayNeeds = {
  readonly handle: Handle
  readonly find: Find
  readonly findDestination: (stream: string) => Row | undefined
  /** The log position of the last event at a time, or -1. */
  readonly positionAt: (at: Instant) => number
  readonly caughtUp: () => Promise<void>
}

/** Sends what a destination's filters match again, from a time on. */
export const replayEvents =
  ({ handle, find, findDestination, positionAt, caughtUp }: ReplayNeeds) =>
  async (id: string, since: Instant, context: Context): Promise<void> => {
    await caughtUp()
    const merchant = context.merchant ?? ''
    const row = findDestination(streamOf(eventDestinations, within(merchant, id)))
    if (row?.data.merchant !== merchant) return refuse('resource_is_unknown')
    const { key } = row.data
    const { place } = await find(eventFeeds, key, 'log')
    // Later messages come as fresh ones.
    const until = Math.max(place ?? -1, 2 * row.position + 1)
    const after = 2 * positionAt(since - 1) + 1
    await handle(eventFeeds, key, { type: 'RequestEventReplay', since, after, until }, context)
  }
