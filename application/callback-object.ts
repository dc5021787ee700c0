import type { Completion } from '../domain/accounting/completion.ts'
import type { RestedDestination } from '../domain/callback-destination.ts'
import type { SettlementMade } from '../domain/accounting/settlement-events.ts'
import type { Message } from '../domain/callback.ts'
import {
  displayCallbackName,
  displayMessageId,
  displayTexts,
  isDisplayed,
  streamOfSubject,
} from '../domain/callback-names.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import type { Notice } from '../domain/merchant/notice.ts'
import { idIn, merchantAndIdIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { permissionRequests } from '../domain/aggregates.ts'
import { disputeId, type DisputeEvent } from '../domain/payment/dispute.ts'
import { knownDispute, type KnownDispute } from './disputes.ts'
import type { EventStore, Revision } from './event-store.ts'
import { type Find, historyOf, stateAfter } from './find-state.ts'
import type { MerchantViews, PaymentView, PermissionView } from './merchant-views.ts'
import { payment } from '../domain/payment/payment.ts'
import type { Payment, RequestedPayment } from '../domain/payment/payment-state.ts'
import { generationalCache } from './generational-cache.ts'
import type { Traceparent } from './tracing.ts'

/** Number of payments; fewer if they have many captures. */
const cacheSize = 1_000

type AtRevision = { readonly revision: Revision; readonly payment: Payment }

const weightOf = ({ payment }: AtRevision): number =>
  payment.status === 'unrequested' ? 0 : payment.captures.length + payment.refunds.length

/**
 * Payments at a revision of their stream. Callbacks of a payment come in order, so each fold
 * continues from the previous one.
 */
export const paymentsAsOf = (store: Pick<EventStore, 'readStream'>) => {
  const cache = generationalCache<string, AtRevision>(cacheSize, { weightOf, weight: 256 })
  return async (stream: string, revision: Revision): Promise<RequestedPayment> => {
    const last = cache.get(stream)
    const isUsable = last !== undefined && last.revision <= revision
    let state = isUsable ? last.payment : payment.initial
    const from = isUsable ? last.revision + 1 : 0
    for await (const events of historyOf(store, stream, from, revision))
      state = stateAfter(payment, events, state)
    if (state.status === 'unrequested') throw new Error(`${stream} is not a payment`)
    cache.set(stream, { revision, payment: state })
    return state
  }
}

/** A report as of its completion. */
type ClosedReport = {
  readonly ledger: string
  readonly number: number
  readonly openedAt: Instant
  readonly closedAt: Instant
  readonly callbackUri: string | null
  readonly completion: Completion
}

type MadeSettlement = {
  readonly serial: number
  readonly settlementId: string
  readonly startedAt: Instant
  readonly made: SettlementMade
}

/** The subject of a callback as of its event; `show` reads the data. */
export type CallbackObject =
  | { readonly about: 'payment'; readonly tid: string; readonly show: () => Promise<PaymentView> }
  | {
      readonly about: 'permission'
      readonly rid: string
      readonly show: () => Promise<PermissionView>
    }
  | { readonly about: 'dispute'; readonly id: string; readonly show: () => Promise<KnownDispute> }
  | { readonly about: 'report'; readonly report: ClosedReport }
  | { readonly about: 'settlement'; readonly settlement: MadeSettlement }
  | { readonly about: 'destination'; readonly destination: RestedDestination }
  | { readonly about: 'notice'; readonly notice: Notice }
  | { readonly about: 'scan'; readonly scan: string; readonly argstring: string }
  | { readonly about: 'display'; readonly tid: string; readonly text: string }
  | { readonly about: 'test' }

type CallbackContent = {
  readonly id: string
  readonly at: Instant
  /** Null for test messages of earlier versions. */
  readonly merchant: string | null
  readonly traceparent: Traceparent | undefined
  readonly object: CallbackObject
}

type Needs = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly find: Find
  readonly views: Pick<MerchantViews, 'showPayment' | 'showPermission'>
}

const closedReport = async (
  store: Needs['store'],
  completed: Extract<Recorded, { type: 'ReportCompleted' }>,
): Promise<ClosedReport> => {
  const { stream, revision, data } = completed
  const { report: number, ...completion } = data
  const [, ledger] = merchantAndIdIn(idIn(stream))
  for await (const events of historyOf(store, stream, 0, revision))
    for (const event of events)
      if (event.type === 'ReportClosed' && event.data.report === number) {
        const { openedAt, callbackUri } = event.data
        return { ledger, number, openedAt, closedAt: event.metadata.at, callbackUri, completion }
      }
  throw new Error(`report ${number} of ${stream} was never closed`)
}

const madeSettlement = async (
  store: Needs['store'],
  { stream, revision, data: made }: Extract<Recorded, { type: 'SettlementMade' }>,
): Promise<MadeSettlement> => {
  const { serial, settlementId } = made
  for await (const events of historyOf(store, stream, 0, revision))
    for (const event of events)
      if (event.type === 'SettlementStarted' && event.data.serial === serial)
        return { serial, settlementId, startedAt: event.metadata.at, made }
  throw new Error(`settlement ${serial} of ${stream} was never started`)
}

const eventAt = async (
  store: Needs['store'],
  stream: string,
  revision: number,
): Promise<Recorded> => {
  const [event] = await store.readStream(stream, revision, 1)
  if (event?.revision === revision) return parseEvent(event)
  throw new Error(`${stream} has no event ${revision}`)
}

const disputeOf = (
  { stream, data: { dispute: number } }: Recorded<DisputeEvent>,
  find: () => Promise<RequestedPayment>,
): CallbackObject => {
  const tid = idIn(stream)
  const show = async () => knownDispute(tid, await find(), number)
  return { about: 'dispute', id: disputeId(tid, number), show }
}

/**
 * Finds what a callback shows (interface 13.2). It depends only on the log up to its event, so
 * messages can be rebuilt.
 * Long because it lists what each event shows.
 */
export const callbackObjects = ({ store, find, views }: Needs) => {
  const paymentAsOf = paymentsAsOf(store)

  const objectOf = async (event: Recorded): Promise<CallbackObject> => {
    const { stream, revision, position, metadata } = event
    const { at } = metadata
    switch (event.type) {
      case 'CallbackTestRequested':
        return { about: 'test' }
      case 'ShortlinkScanned': {
        const { scan, argstring } = event.data
        return { about: 'scan', scan, argstring }
      }
      case 'ReportCompleted':
        return { about: 'report', report: await closedReport(store, event) }
      case 'NoticeRaised':
        return { about: 'notice', notice: event.data }
      case 'DestinationRested':
        return { about: 'destination', destination: event.data }
      case 'SettlementMade':
        return { about: 'settlement', settlement: await madeSettlement(store, event) }
      case 'PaymentDisputed':
      case 'PaymentDisputeWon':
      case 'PaymentDisputeLost':
        return disputeOf(event, () => paymentAsOf(stream, revision))
      case 'PermissionGranted':
      case 'PermissionDeclined':
      case 'PermissionFailed':
      case 'PermissionExpired': {
        const rid = idIn(stream)
        const show = async (): Promise<PermissionView> => {
          const permission = await find(permissionRequests, rid, position)
          if (permission.status === 'unrequested') throw new Error(`${stream} is not a permission`)
          return views.showPermission(rid, permission, at, position)
        }
        return { about: 'permission', rid, show }
      }
      default: {
        const tid = idIn(stream)
        const show = async (): Promise<PaymentView> =>
          views.showPayment(tid, await paymentAsOf(stream, revision), at, position)
        return { about: 'payment', tid, show }
      }
    }
  }

  return async ({ event: name, subject, revision }: Message): Promise<CallbackContent> => {
    const stream = streamOfSubject(subject)
    const event = await eventAt(store, stream, revision)
    const { at, merchant, traceparent } = event.metadata
    if (name !== displayCallbackName || !isDisplayed(event.type))
      return { id: event.id, at, merchant, traceparent, object: await objectOf(event) }
    const text = displayTexts[event.type]
    return {
      id: displayMessageId(event.id),
      at,
      merchant,
      traceparent,
      object: { about: 'display', tid: idIn(stream), text },
    }
  }
}

export type ReadCallbackContent = ReturnType<typeof callbackObjects>
