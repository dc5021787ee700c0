import { html } from 'hono/html'
import type { Call } from '../../http/call.ts'
import { backToShop, shortOrderHtml, splitHtml } from './order.ts'
import type { Html } from '../ui/page.ts'
import type { ShownRequest, ShownRequestNeeds } from './request.ts'
import type { Visitor, Visits } from './session.ts'
import { nextOf } from './way-on.ts'

const paymentPath = /^\/payer\/payment\/([^/?]+)(\?checkout)?/

/** Shows the order beside pages on the way to a payment, such as signing in. */
export const besideOrder = (needs: ShownRequestNeeds, visits: Visits): Visits => {
  const orders = new WeakMap<Visitor, Html>()

  /** A pending request without a customer is visible to anyone with its link. */
  const find = async (tid: string, call: Call): Promise<ShownRequest | undefined> => {
    await needs.caughtUp()
    const found = await needs.findRequest(tid, call.at)
    const isOpen = found?.request.customer === null && found.outcome.status === 'pending'
    return isOpen ? found : undefined
  }

  return {
    ...visits,
    page: (call, work, ...formIsAt) =>
      visits.page(
        call,
        async (visitor) => {
          const [, tid, isCheckout] = paymentPath.exec(nextOf(call)) ?? []
          const shown = tid === undefined ? undefined : await find(tid, call)
          if (shown) {
            const order = shortOrderHtml(visitor, shown)
            const back = isCheckout ? [backToShop(visitor, shown)] : []
            orders.set(visitor, html`${back} ${order}`)
          }
          return work(visitor)
        },
        ...formIsAt,
      ),
    show: (visitor, page, more) => {
      const order = orders.get(visitor)
      return order
        ? visits.show(visitor, { ...page, body: splitHtml(order, page.body) }, { isPayment: true })
        : visits.show(visitor, page, more)
    },
  }
}
