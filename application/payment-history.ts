import { payments } from '../domain/aggregates.ts'
import type { Attempt } from '../domain/callback.ts'
import type { Recorded } from '../domain/events.ts'
import { isPaymentEvent, type PaymentEvent } from '../domain/payment/payment-events.ts'
import type { Payment } from '../domain/payment/payment-state.ts'
import { streamOf } from '../domain/stream.ts'
import type { EventStore } from './event-store.ts'
import { historyOf, stateAfter } from './history.ts'

/** An event of a payment; the ledger is where it has its line, if it has one. */
export type PaymentRecord = Recorded<PaymentEvent> & { readonly ledger: string }

/** The newest events of a payment, newest first, and how many are left out. */
export const newestEventsOf =
  (store: Pick<EventStore, 'readStream'>) => async (tid: string, limit: number) => {
    const { decider } = payments
    let state: Payment = decider.initial
    let events: PaymentRecord[] = []
    let count = 0
    for await (const batch of historyOf(store, streamOf(payments, tid))) {
      for (const event of batch.filter(isPaymentEvent)) {
        state = stateAfter(decider, [event], state)
        const ledger = state.status === 'unrequested' ? '' : state.lineLedger
        events.push({ ...event, ledger })
      }
      count += batch.length
      events = events.slice(-limit)
    }
    return { events: events.toReversed(), more: count - events.length }
  }

type Message = {
  readonly id: string
  readonly event: string
  readonly at: number
  readonly status: string
  readonly attempts: number
}

export type ToldOfPayment = Message & { readonly tries: readonly Attempt[] }

/** The newest messages about a payment, those without an address too, each with its attempts. */
export const toldOfPayment =
  (
    listAbout: (subject: string, before: number, limit: number) => Promise<readonly Message[]>,
    attemptsOf: (id: string) => Promise<readonly Attempt[]>,
  ) =>
  async (tid: string, limit: number): Promise<readonly ToldOfPayment[]> => {
    const rows = await listAbout(streamOf(payments, tid), Number.MAX_SAFE_INTEGER, limit)
    return Promise.all(
      rows.map(async (row) => ({
        ...row,
        tries: row.attempts === 0 ? [] : await attemptsOf(row.id),
      })),
    )
  }
