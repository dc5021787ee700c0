import { offers, payments } from '../domain/aggregates.ts'
import { checkOpen, latestOf, type MadeOffer, type Offered } from '../domain/merchant/offer.ts'
import type { PaymentRequest } from '../domain/payment/payment-events.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { recordDue, type DueNeeds } from './expire-requests.ts'
import type { Caused, Context, Deciding } from './handle.ts'
import { refuseDisabled } from './merchants.ts'
import { isPosKnown } from './request-payment.ts'
import { openPortalPos, takenRequest } from './take-payment.ts'

/** How long a payer who has opened the link may think, in seconds: a place is kept as long. */
const expiresIn = 900

/** How the payments of a link name their customer, as those of any other code do. */
export const customerOfOffer = (id: string): string => `shortlink_id:${id}`

/** The link is made with its point of sale. */
export const makeOffer =
  ({ handle, find }: Deciding) =>
  async (id: string, offer: Offered, context: Context): Promise<void> => {
    await openPortalPos({ handle, find })(offer.merchant, offer.posId, context)
    await handle(offers, id, { type: 'MakeOffer', offer }, context)
  }

type Taken = { readonly tid: string; readonly posTid: string; readonly payer: string }

type Row = Taken & {
  readonly merchant: string
  readonly offer: string
  /** Whether its payment is over, with nothing captured; else it is not requested yet. */
  readonly isOver: boolean
}

type RequestFrom = (request: PaymentRequest, context: Context, payer: string) => Promise<string>

type Needs = Deciding &
  Omit<DueNeeds<Row>, 'rows'> & {
    readonly rows: {
      due(limit: number): readonly Row[]
      hold(tid: string): Row | undefined
    }
    readonly tidOf: (merchant: string, posId: string, posTid: string) => string
    /** A keyed text that only this installation can make. */
    readonly derive: (...parts: readonly (string | number)[]) => string
    readonly requestPayment: RequestFrom
    /** The same, under the lease of background work. */
    readonly requestInShare: RequestFrom
  }

const requestOf = (id: string, { offer }: MadeOffer, { posTid }: Taken): PaymentRequest => {
  const { merchant, posId, currency, amount, text } = offer
  const request = { merchant, posId, posTid, currency, amount, text, phone: null, expiresIn }
  return { ...takenRequest({ ...request, isReserved: false }), customer: customerOfOffer(id) }
}

/** Gives back what holds a place and will not be paid, and requests what a crash left out. */
const workOf = ({ find, rows, requestInShare, ...needs }: Needs) =>
  recordDue(
    { ...needs, rows: { due: (_, limit) => rows.due(limit), nextDeadline: () => null } },
    {
      category: payments.category,
      idOf: ({ tid }) => tid,
      record: async (tid, context) => {
        const row = rows.hold(tid)
        if (!row) return { events: [] }
        const { payer, offer: id } = row
        if (row.isOver)
          return needs.share.handle(offers, id, { type: 'GiveBackOffer', payer, tid }, context)
        const state = await find(offers, id, 'log')
        const { status } = await find(payments, tid, 'log')
        if (state.status !== 'made' || status !== 'unrequested') return { events: [] }
        const asPayer = { ...context, actor: `payer:${payer}` }
        await requestInShare(requestOf(id, state, row), asPayer, payer)
        return { events: [row] }
      },
    },
  )

/**
 * Payment links that many may pay. The link's stream decides who gets one of the stock; then the
 * payer is asked for a payment of their own. Any process can repeat every step.
 */
export const sellOffers = (needs: Needs) => {
  const { handle, find, derive, tidOf } = needs

  /** A request that waits for the payer already. */
  const openOf = async (state: MadeOffer, payer: string, at: Instant) => {
    const latest = latestOf(state, payer)
    const payment = latest && (await find(payments, latest.tid, 'log'))
    if (payment === undefined || payment.status === 'unrequested') return latest
    return payment.status === 'pending' && at < payment.expiresAt ? latest : undefined
  }

  const found = async (id: string): Promise<MadeOffer | undefined> => {
    const state = await find(offers, id, 'log')
    if (state.status === 'absent') return undefined
    const { merchant, posId } = state.offer
    await refuseDisabled(find, merchant)
    return (await isPosKnown({ find }, merchant, posId)) ? state : refuse('offer_is_over')
  }

  return {
    /**
     * What the payer may buy; undefined for an unknown link. @throws Refusal offer_is_over,
     * offer_is_sold_out, merchant_is_disabled
     */
    openOffer: async (id: string, payer: string, at: Instant): Promise<Offered | undefined> => {
      const state = await found(id)
      if (state && !(await openOf(state, payer, at))) checkOpen(state, at)
      return state?.offer
    },

    /** Returns the payer's own payment request, the same while it waits. @throws as above */
    takeOffer: async (
      id: string,
      payer: string,
      { at, correlationId, traceparent }: Caused,
    ): Promise<string | undefined> => {
      const before = await found(id)
      if (!before) return undefined
      const { merchant, posId } = before.offer
      const context = { at, merchant, actor: `payer:${payer}`, correlationId, traceparent }
      const open = await openOf(before, payer, at)
      const take = async () => {
        const digits = derive('offer', id, payer, before.taken).replaceAll(/[^a-zA-Z0-9]/g, '')
        const posTid = digits.toUpperCase().slice(0, 12)
        const tid = tidOf(merchant, posId, posTid)
        const after = latestOf(before, payer)?.tid ?? null
        const command = { type: 'TakeOffer', at, payer, tid, posTid, after } as const
        const { state } = await handle(offers, id, command, context)
        return state.status === 'made' ? latestOf(state, payer) : undefined
      }
      const taken = open ?? (await take()) ?? refuse('conflicting_changes')
      return needs.requestPayment(requestOf(id, before, taken), context, payer)
    },

    work: workOf(needs),
  }
}

export type OfferSales = ReturnType<typeof sellOffers>
