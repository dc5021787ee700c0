import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { jsonEquals } from '../json-equality.ts'
import { refuse } from '../refusal.ts'
import { instant, type Instant } from '../time.ts'
import { bucketOf, emptyBuckets, withBucket, type HashBuckets } from './scans.ts'

/** At most so many may pay. */
const stock = z.int().positive().nullable()

/** What whoever opens a payment link may buy. */
const offer = z.object({
  merchant: z.string(),
  posId: z.string(),
  currency: z.string(),
  amount: z.int().positive(),
  text: z.string(),
  /** Nobody takes it from then on; null for no end. */
  until: instant.nullable(),
  stock,
})

const taking = z.object({ payer: z.string(), tid: z.string(), posTid: z.string() })

/** Streams `offer-<id of the link>`. */
export const offerEvents = {
  OfferMade: offer,
  OfferStockChanged: z.object({ stock }),
  OfferEnded: z.object({}),
  /** A payer is to be asked for this payment, which holds one of the stock. */
  OfferTaken: taking,
  /** Its payment ended before anything was captured. */
  OfferGivenBack: taking.pick({ payer: true, tid: true }),
} as const

export type OfferEvent = EventsOf<typeof offerEvents>

type Taking = z.output<typeof taking>

export type Offered = z.output<typeof offer>

export type MadeOffer = {
  readonly status: 'made'
  /** As it was made, to recognise repeats. */
  readonly offer: Offered
  readonly stock: number | null
  readonly isEnded: boolean
  /** Number ever taken, and of these not given back. */
  readonly taken: number
  readonly held: number
  /** Those that hold one, by payer; there may be thousands. */
  readonly takings: HashBuckets<Taking>
}

export type Offer = { readonly status: 'absent' } | MadeOffer

export type OfferCommand =
  | { readonly type: 'MakeOffer'; readonly offer: Offered }
  | { readonly type: 'ChangeStock'; readonly stock: number | null }
  | { readonly type: 'EndOffer' }
  /** `after` is the payment that the payer is known to have had of it before; null for none. */
  | (Taking & { readonly type: 'TakeOffer'; readonly at: Instant; readonly after: string | null })
  | (Pick<Taking, 'payer' | 'tid'> & { readonly type: 'GiveBackOffer' })

/** The newest payment of the payer that holds one. */
export const latestOf = ({ takings }: MadeOffer, payer: string): Taking | undefined =>
  bucketOf(takings, payer).findLast((one) => one.payer === payer)

export const isOver = (
  { isEnded, until }: { readonly isEnded: boolean; readonly until: Instant | null },
  at: Instant,
): boolean => isEnded || (until !== null && at >= until)

/** How many are left; null for any number. */
export const leftOf = ({ stock, held }: Pick<MadeOffer, 'stock' | 'held'>): number | null =>
  stock === null ? null : Math.max(0, stock - held)

/** @throws Refusal offer_is_over, offer_is_sold_out */
export const checkOpen = (state: MadeOffer, at: Instant): void => {
  if (isOver({ isEnded: state.isEnded, until: state.offer.until }, at))
    return refuse('offer_is_over')
  if (leftOf(state) === 0) return refuse('offer_is_sold_out')
}

const made = (state: Offer): MadeOffer =>
  state.status === 'made' ? state : refuse('resource_is_unknown')

/** A payment link that many may pay: never more hold one than the stock had. */
export const offers: Decider<OfferCommand, OfferEvent, Offer> = {
  initial: { status: 'absent' },
  decide(command, state) {
    switch (command.type) {
      case 'MakeOffer':
        if (state.status === 'absent') return [{ type: 'OfferMade', data: command.offer }]
        return jsonEquals(state.offer, command.offer) ? [] : refuse('id_used_with_other_data')
      case 'ChangeStock': {
        const { stock } = command
        if (made(state).isEnded) return refuse('offer_is_over')
        return made(state).stock === stock ? [] : [{ type: 'OfferStockChanged', data: { stock } }]
      }
      case 'EndOffer':
        return made(state).isEnded ? [] : [{ type: 'OfferEnded', data: {} }]
      case 'TakeOffer': {
        const { payer, tid, posTid, at, after } = command
        // The payer has taken it in another tab meanwhile, or sends the form again.
        if ((latestOf(made(state), payer)?.tid ?? null) !== after) return []
        checkOpen(made(state), at)
        return [{ type: 'OfferTaken', data: { payer, tid, posTid } }]
      }
      case 'GiveBackOffer': {
        const { payer, tid } = command
        const isHeld = bucketOf(made(state).takings, payer).some((one) => one.tid === tid)
        return isHeld ? [{ type: 'OfferGivenBack', data: { payer, tid } }] : []
      }
    }
  },
  evolve(state, event) {
    if (event.type === 'OfferMade') {
      const { data } = event
      const none = { isEnded: false, taken: 0, held: 0, takings: emptyBuckets }
      return { status: 'made', offer: data, stock: data.stock, ...none }
    }
    if (state.status === 'absent') return state
    const { taken, held, takings } = state
    switch (event.type) {
      case 'OfferStockChanged':
        return { ...state, stock: event.data.stock }
      case 'OfferEnded':
        return { ...state, isEnded: true }
      case 'OfferTaken': {
        const { data } = event
        const all = withBucket(takings, data.payer, (bucket) => [...bucket, data])
        return { ...state, taken: taken + 1, held: held + 1, takings: all }
      }
      case 'OfferGivenBack': {
        const { payer, tid } = event.data
        const without = (bucket: readonly Taking[]) => bucket.filter((one) => one.tid !== tid)
        return { ...state, held: held - 1, takings: withBucket(takings, payer, without) }
      }
    }
  },
}
