import { z } from 'zod'
import { newestEventsOf } from '../../../application/payment-history.ts'
import { payments } from '../../../domain/aggregates.ts'
import { streamOf } from '../../../domain/stream.ts'
import { searchOf } from '../../../http/call.ts'
import { changesReply, restMs, type Watch } from '../../ui/event-stream.ts'
import { anyText } from '../../ui/fields.tsx'
import type { Route } from '../../../http/route.ts'
import type { PortalPages } from '../pages.ts'
import {
  findPayment,
  paymentParams,
  filtersOf,
  paymentListQuery,
  listMark,
  markOf,
} from './query.ts'
import type { PaymentPageNeeds } from './payment-page.tsx'
import { onPage, type PaymentListNeeds } from './list.tsx'
import { paymentSearch } from './search.ts'
import { mostMessages, messagesIn } from './callbacks.tsx'
import { clearTimeout, setTimeout } from '../../../application/machine.ts'

export type LivePaymentNeeds = PaymentListNeeds &
  PaymentPageNeeds & {
    readonly watch: Watch
    /** Of whatever happens to a merchant, and of attempts to tell of a payment. */
    readonly watchMerchant: Watch
    readonly now: () => number
  }

const paceMs = 2_000

/** Looks at once, and then at most every two seconds, however much happens. */
const paced =
  (watch: Watch): Watch =>
  (stream, from, onEvent, onEnd, person) => {
    let timer: NodeJS.Timeout | undefined
    let isMissed = false
    const rest = () => {
      timer = setTimeout(() => {
        timer = undefined
        if (!isMissed) return
        isMissed = false
        onEvent()
        rest()
      }, paceMs)
    }
    const happened = () => {
      if (timer !== undefined) isMissed = true
      else {
        onEvent()
        rest()
      }
    }
    const unwatch = watch(stream, from, happened, onEnd, person)
    return (
      unwatch &&
      (() => {
        clearTimeout(timer)
        unwatch()
      })
    )
  }

/** What either tells of. */
const both =
  (one: Watch, other: Watch): Watch =>
  (...args) => {
    const stops = [one(...args), other(...args)]
    const stop = () => stops.forEach((each) => each?.())
    if (stops.every((each) => each !== undefined)) return stop
    stop()
    return undefined
  }

const at = anyText('What the page shows.')

const common = {
  action: 'see_payments',
  area: 'payments',
  replyTypes: ['text/event-stream', 'text/html'],
} as const

/** Tells pages that follow along that something else is to be shown. */
export const livePaymentRoutes = (
  needs: LivePaymentNeeds,
  { page, followerOf }: PortalPages,
): Route[] => {
  const search = paymentSearch(needs)
  const find = findPayment(needs)
  const newest = newestEventsOf(needs)
  const messagesOf = messagesIn(needs)
  return [
    page(
      {
        ...common,
        path: '/portal/:merchant/payments-events',
        summary: 'Tells when a list of payments changes',
        ownQuery: paymentListQuery.extend({ at }),
      },
      async (visitor, call) => {
        const { shop, me } = visitor
        const query = searchOf(call)
        const filters = filtersOf(query)
        const hasChanged = async () => {
          await needs.caughtUp()
          const page = { limit: onPage, at: needs.now() }
          const { rows } = await search({ shop, terms: me.terms }, filters, page)
          return listMark(needs, rows, page.at) !== query.get('at')
        }
        const watched = { stream: shop.merchant, ...followerOf(visitor, call), rest: restMs }
        return changesReply(paced(needs.watchMerchant), watched, hasChanged, needs.isSecure)
      },
    ),
    page(
      {
        ...common,
        path: '/portal/:merchant/payments/:tid/events',
        summary: 'Tells when a payment changes',
        params: paymentParams,
        ownQuery: z.object({ at }),
      },
      async (visitor, call) => {
        const { tid } = call.params
        await find(visitor, tid, call.at)
        const mark = searchOf(call).get('at')
        const hasChanged = async () => {
          await needs.caughtUp()
          await needs.find(payments, tid, 'log')
          const { events } = await newest(tid, 1)
          return markOf(needs, events, await messagesOf(tid, mostMessages)) !== mark
        }
        const watched = { stream: streamOf(payments, tid), ...followerOf(visitor, call) }
        return changesReply(
          paced(both(needs.watch, needs.watchMerchant)),
          watched,
          hasChanged,
          needs.isSecure,
        )
      },
    ),
  ]
}
