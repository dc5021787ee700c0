import { payment } from '../domain/payment/payment.ts'
import type { Payment, RequestedPayment } from '../domain/payment/payment-state.ts'
import type { EventStore, Revision } from './event-store.ts'
import { historyOf, stateAfter } from './history.ts'
import { generationalCache } from './generational-cache.ts'

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
