import { payment } from '../domain/payment/payment.ts'
import type { Payment, RequestedPayment } from '../domain/payment/payment-state.ts'
import type { EventStore, Revision } from './event-store.ts'
import { historyOf, stateAfter } from './history.ts'
import { generationalCache } from './generational-cache.ts'

/** Payments whose last state is remembered; fewer when they have many captures. */
const remembered = 1_000

type AtRevision = { readonly revision: Revision; readonly payment: Payment }

const weightOf = ({ payment }: AtRevision): number =>
  payment.status === 'unrequested' ? 0 : payment.captures.length + payment.refunds.length

/**
 * Payments as of a revision of their streams. Callbacks of a payment are made in order, so each goes on from the state of
 * the one before it.
 */
export const paymentsAsOf = (store: Pick<EventStore, 'readStream'>) => {
  const memory = generationalCache<string, AtRevision>(remembered, { weightOf, weight: 256 })
  return async (stream: string, revision: Revision): Promise<RequestedPayment> => {
    const last = memory.get(stream)
    const isUsable = last !== undefined && last.revision <= revision
    let state = isUsable ? last.payment : payment.initial
    const from = isUsable ? last.revision + 1 : 0
    for await (const events of historyOf(store, stream, from, revision))
      state = stateAfter(payment, events, state)
    if (state.status === 'unrequested') throw new Error(`${stream} is no payment`)
    memory.set(stream, { revision, payment: state })
    return state
  }
}
