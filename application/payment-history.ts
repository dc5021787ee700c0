import { payments } from '../domain/aggregates.ts'
import type { Attempt } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { isPaymentEvent, type PaymentEvent } from '../domain/payment/payment-events.ts'
import { streamOf } from '../domain/stream.ts'
import { noStream, type EventStore, type Revision } from './event-store.ts'
import { historyOf } from './find-state.ts'

export type PaymentRecord = Recorded<PaymentEvent>

type HistoryNeeds = {
  readonly store: Pick<EventStore, 'readStream'>
  /** The revision of a stream as far as this process knows. */
  readonly revisionOf: (stream: string) => Revision | undefined
}

/** Events of a payment, newest first. */
export type PaymentPart = {
  readonly events: readonly PaymentRecord[]
  /** Number of earlier events. */
  readonly more: number
}

/**
 * The newest events of a payment, or those before a revision. Reads no others if the payment was
 * just found.
 */
export const newestEventsOf =
  ({ store, revisionOf }: HistoryNeeds) =>
  async (tid: string, limit: number, before: Revision = Infinity): Promise<PaymentPart> => {
    const stream = streamOf(payments, tid)
    const end = Math.min(before, (revisionOf(stream) ?? noStream) + 1)
    const from = Math.max(0, end - limit)
    let events: PaymentRecord[] = []
    let count = from
    for await (const batch of historyOf(store, stream, from, before - 1)) {
      events = [...events, ...batch.filter(isPaymentEvent)].slice(-limit)
      count += batch.length
    }
    return { events: events.toReversed(), more: count - events.length }
  }

type Message = {
  readonly id: string
  /** Rank in log order. */
  readonly place: number
  readonly event: string
  readonly at: number
  readonly status: string
  readonly attempts: number
}

export type PaymentMessage<Row extends Message = Message> = Row & {
  readonly tries: readonly Attempt[]
}

/**
 * The newest messages about a payment, or those before a rank, including those without an address,
 * each with its attempts.
 */
export const messagesOfPayment =
  <Row extends Message>(
    listAbout: (subject: string, before: number, limit: number) => Promise<readonly Row[]>,
    attemptsOf: (id: string) => Promise<readonly Attempt[]>,
  ) =>
  async (
    tid: string,
    limit: number,
    before = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly PaymentMessage<Row>[]> => {
    const rows = await listAbout(streamOf(payments, tid), before, limit)
    return Promise.all(
      rows.map(async (row) => ({
        ...row,
        tries: row.attempts === 0 ? [] : await attemptsOf(row.id),
      })),
    )
  }
