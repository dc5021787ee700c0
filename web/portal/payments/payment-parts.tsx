import { Card, Link, type Html } from '../../ui/components.tsx'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { nothing } from '../../../domain/money/money.ts'
import { minorText, shopTime } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.tsx'
import { customerHtml, type CustomerNeeds } from './customer.tsx'
import { namesOfPos, paymentPath, type PosOf } from './query.ts'
import { possibleActions } from './action-input.ts'
import { amountsOf, badgeHtml } from './state.tsx'
import { available } from '../../../domain/payment/payment-state.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export type DetailNeeds = CustomerNeeds & { readonly posOf: PosOf }

/** A payment on its page. */
export type PaymentView = {
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

const actionsHtml = ({ visitor, texts, tid, payment }: PaymentView): Html => {
  const possible = possibleActions(visitor, payment)
  if (possible.length === 0) return null
  const [main] = possible
  return (
    <div class="buttons">
      {possible.map((action) => (
        <Link
          class={`button ${action === main && action !== 'refund' ? '' : 'second'}`}
          href={portalPath(visitor.shop.merchant, paymentPath(tid, `/${action}`))}
          text={texts[`action_${action}`]}
        />
      ))}
    </div>
  )
}

export const headHtml = (view: PaymentView): Html => {
  const { visitor, texts, payment } = view
  const { request, answer, status, expiresAt } = payment
  const extra = answer?.type === 'accepted' ? answer.additionalAmount : request.additionalAmount
  const amount = (minor: number) => minorText(minor, request.currency, visitor.locale)
  const left = status === 'auth' ? available(payment) : nothing
  const { main, beside } = amountsOf({
    ...standingOf(payment),
    requested: request.amount + extra,
    reserved: left.amount + left.additionalAmount,
  })
  const until = shopTime(expiresAt, visitor)
  return [
    <div class="head pay-head">
      <div>
        <h1>
          <span class="pay-sum">{amount(main[1])}</span>{' '}
          {main[0] !== 'paid' && <small class="quiet">{texts[`is_${main[0]}`]}</small>}{' '}
          {badgeHtml(texts, standingOf(payment))}
        </h1>
        <p class="quiet">
          {request.posTid}
          {request.text !== null && [' · ', request.text]}
          {beside.map(([name, minor]) => [' · ', texts[`sum_${name}`]({ amount: amount(minor) })])}
        </p>
      </div>
      {actionsHtml(view)}
    </div>,
    status === 'pending' && <p class="note">{filled(texts.pendingHint, { time: until })}</p>,
  ]
}

export const detailsHtml = (
  needs: DetailNeeds,
  { visitor, texts, tid, payment }: PaymentView,
): Html => {
  const { request, details, status, expiresAt } = payment
  const { shop } = visitor
  const names = namesOfPos(needs, shop.merchant)
  const pos = names.get(request.posId) ?? request.posId
  const who = { customer: request.customer, scan: payment.scan }
  const isOpen = status === 'pending' || status === 'auth'
  const rows: (readonly [string, Html])[] = [
    [texts.tid, <code>{tid}</code>],
    [texts.orderNumber, request.posTid],
    [texts.pos, pos],
    [texts.customer, customerHtml(needs, visitor, who)],
    [texts.ledger, details.ledger],
    ...(isOpen ? [[texts.expiresAt, shopTime(expiresAt, visitor)] as const] : []),
    ...(details.callbackUri === null
      ? []
      : [[texts.callbackUri, <code>{details.callbackUri}</code>] as const]),
  ]
  return <dl class="facts">{rows.map(([name, value]) => [<dt>{name}</dt>, <dd>{value}</dd>])}</dl>
}

export const proofHtml = ({ visitor, texts, tid }: PaymentView): Html => (
  <Card title={texts.proof}>
    <p class="quiet small">{texts.proofWhat}</p>
    <p>
      <a href={portalPath(visitor.shop.merchant, paymentPath(tid, '/proof.json'))}>
        {texts.proofLink}
      </a>
    </p>
  </Card>
)
