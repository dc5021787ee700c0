import { html } from 'hono/html'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { shownAmount, shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { filled } from '../../ui/words.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.ts'
import { card } from '../parts.ts'
import { namesOfPos, paymentPath, type PosOf } from './query.ts'
import { possibleActions } from './action-input.ts'
import { badgeHtml } from './state.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export type DetailNeeds = {
  readonly showCustomer: (customer: string | null) => string | null
  readonly posOf: PosOf
}

/** A payment on its page. */
export type ShownPayment = {
  readonly visitor: PortalVisitor
  readonly texts: Catalogue['payments']
  readonly tid: string
  readonly payment: RequestedPayment
}

export const standingOf = ({ statusCode, captured, refunded }: RequestedPayment) => ({
  statusCode,
  captured: captured.amount + captured.additionalAmount,
  refunded: refunded.amount + refunded.additionalAmount,
})

const actionsHtml = ({ visitor, texts, tid, payment }: ShownPayment): Html | '' => {
  const possible = possibleActions(visitor, payment)
  if (possible.length === 0) return ''
  const [main] = possible
  return html`<div class="buttons">
    ${possible.map(
      (action) =>
        html`<a
          class="button ${action === main ? '' : 'second'}"
          href="${portalPath(visitor.shop.merchant, paymentPath(tid, `/${action}`))}"
          >${texts[`action_${action}`]}</a
        >`,
    )}
  </div>`
}

export const headHtml = (shown: ShownPayment): Html => {
  const { visitor, texts, payment } = shown
  const { request, answer, status, expiresAt } = payment
  const extra = answer?.type === 'accepted' ? answer.additionalAmount : request.additionalAmount
  const sum = shownAmount(request.amount + extra, request.currency, visitor.locale)
  const until = shownTime(expiresAt, visitor.locale)
  return html`<div class="head pay-head">
      <div>
        <h1><span class="pay-sum">${sum}</span> ${badgeHtml(texts, standingOf(payment))}</h1>
        <p class="quiet">
          ${request.posTid}${request.text === null ? '' : html` · ${request.text}`}
        </p>
      </div>
      ${actionsHtml(shown)}
    </div>
    ${
      status === 'pending'
        ? html`<p class="note">${filled(texts.pendingHint, { time: until })}</p>`
        : ''
    }`
}

export const detailsHtml = (
  needs: DetailNeeds,
  { visitor, texts, tid, payment }: ShownPayment,
): Html => {
  const { request, details, status, expiresAt } = payment
  const { locale, shop } = visitor
  const names = namesOfPos(needs, shop.merchant)
  const customer =
    request.customer === null
      ? texts.customerAnybody
      : (needs.showCustomer(request.customer) ?? texts.customerErased)
  const isOpen = status === 'pending' || status === 'auth'
  const rows: (readonly [string, Html | string])[] = [
    [texts.tid, html`<code>${tid}</code>`],
    [texts.orderNumber, request.posTid],
    [texts.pos, names.get(request.posId) ?? request.posId],
    [texts.customer, customer],
    [texts.ledger, details.ledger],
    ...(isOpen ? [[texts.expiresAt, shownTime(expiresAt, locale)] as const] : []),
    ...(details.callbackUri === null
      ? []
      : [[texts.callbackUri, html`<code>${details.callbackUri}</code>`] as const]),
  ]
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

export const proofHtml = ({ visitor, texts, tid }: ShownPayment): Html =>
  card(
    texts.proof,
    html`<p class="quiet small">${texts.proofWhat}</p>
      <p>
        <a href="${portalPath(visitor.shop.merchant, paymentPath(tid, '/proof.json'))}"
          >${texts.proofLink}</a
        >
      </p>`,
  )
