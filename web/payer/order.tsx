import { Link, type Row, Rows, type Html, List } from '../ui/components.tsx'
import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { minorText, sizeOf } from '../ui/money.tsx'
import { sumsOf, type RequestView, type RequestViewNeeds } from './request.tsx'
import type { Visitor, Visits } from './session.tsx'
import { logoHtml } from './shop.tsx'
import type { Call } from '../../http/call.ts'
import { nextOf } from './way-on.ts'

type Order = {
  readonly visitor: Visitor
  readonly view: RequestView
  /** As entered by the payer, while the request waits. */
  readonly additionalAmount: number
}

const totalOf = ({ view: { outcome }, additionalAmount }: Order): number =>
  outcome.amount + additionalAmount

/** Shop, point of sale, amount and text, shown on every step. */
const headHtml = (order: Order): Html => {
  const { visitor, view } = order
  const { texts, locale } = visitor
  const { request, outcome, shop, pos } = view
  const isPending = outcome.status === 'pending'
  const isSale = request.action === 'sale'
  const title = isSale ? texts.payTo : texts.reserveFor
  const taken = isPending ? 0 : sumsOf(outcome).captured
  const sum = minorText(taken || totalOf(order), request.currency, locale)
  return [
    <div class="shop">
      {logoHtml(view)}
      <div>
        {isPending && <p class="quiet small">{title}</p>}
        <h1>{shop}</h1>
        {pos !== null && <p class="quiet small">{pos}</p>}
      </div>
    </div>,
    <p class={`amount ${sizeOf(sum)}`} data-sum="">
      {sum}
    </p>,
    isPending && !isSale && <p class="quiet small">{texts.reserveHint}</p>,
    request.text !== null && <p>{request.text}</p>,
  ]
}

const linesHtml = (order: Order): Html => {
  const { visitor, view, additionalAmount } = order
  const { texts, locale } = visitor
  const { request, details, outcome } = view
  const { lineItems } = details
  const amount = (minor: number) => minorText(minor, request.currency, locale)
  const mayChange = outcome.status === 'pending' && request.additionalEdit
  if (lineItems.length === 0 && additionalAmount === 0 && !mayChange) return null
  const rows = lineItems.map(({ quantity, description, productId, total }): Row => {
    const count = quantity === '1' ? '' : `${quantity} × `
    return [`${count}${description ?? productId}`, amount(total)]
  })
  if (rows.length === 0) rows.push([texts.amount, amount(outcome.amount)])
  return [
    <h2>{outcome.status === 'pending' ? texts.items : texts.bought}</h2>,
    <table>
      <Rows rows={rows} />
      {!(additionalAmount === 0 && !mayChange) && (
        <tr data-extra="" hidden={additionalAmount === 0}>
          <td>{texts.additional}</td>
          <td data-extra-sum="">{amount(additionalAmount)}</td>
        </tr>
      )}
      <tr class="sum">
        <td>{texts.total}</td>
        <td data-sum="">{amount(totalOf(order))}</td>
      </tr>
    </table>,
  ]
}

const linksHtml = ({ visitor: { texts }, view: { outcome } }: Order, details: PaymentDetails) => {
  const links = details.links.filter(({ showOn }) =>
    showOn.includes(outcome.status === 'auth' ? 'ok' : outcome.status),
  )
  return links.length === 0
    ? null
    : [
        <h2>{texts.links}</h2>,
        <List
          kind="list"
          items={links.map(({ uri, caption }) => (
            <Link class="row link" rel="noopener noreferrer" href={uri} text={caption} />
          ))}
        />,
      ]
}

/** Shop, amount, text, line items and links. */
export const orderHtml = (
  visitor: Visitor,
  view: RequestView,
  additionalAmount = view.outcome.additionalAmount,
): Html => {
  const order = { visitor, view, additionalAmount }
  return [headHtml(order), linesHtml(order), linksHtml(order, view.details)]
}

/** The order beside another form; phones omit the lines. */
export const shortOrderHtml = (visitor: Visitor, view: RequestView): Html => {
  const order = { visitor, view, additionalAmount: view.outcome.additionalAmount }
  return [headHtml(order), <div class="computer">{linesHtml(order)}</div>]
}

/** Returns to the shop without signing in; the request stays as it is. */
export const backToShop = ({ texts }: Visitor, { request }: RequestView): Html =>
  request.failureReturnUri === null ? null : (
    <Link class="back" href={request.failureReturnUri} text={texts.goBack} />
  )

/** The order on one side, the form on the other. */
export const splitHtml = (order: Html, answer: Html, live?: string): Html => (
  <div class="card split" data-live={live === undefined ? undefined : live}>
    <section class="order">{order}</section>
    <section>{answer}</section>
  </div>
)

export const paymentPath = /^\/payer\/payment\/([^/?]+)(\?checkout)?/

/** Shows the order beside pages on the way to a payment, such as signing in. */
export const besideOrder = (needs: RequestViewNeeds, visits: Visits): Visits => {
  const orders = new WeakMap<Visitor, Html>()

  /** A pending request without a customer is visible to anyone with its link. */
  const find = async (tid: string, call: Call): Promise<RequestView | undefined> => {
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
          const view = tid === undefined ? undefined : await find(tid, call)
          if (view) {
            const order = shortOrderHtml(visitor, view)
            const back = isCheckout ? [backToShop(visitor, view)] : []
            orders.set(visitor, [back, ' ', order])
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
