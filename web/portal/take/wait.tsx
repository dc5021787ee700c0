import { Button, Crumbs, Form, Link, type Html } from '../../ui/components.tsx'
import { newestEventsOf } from '../../../application/payment-history.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import type { Links } from '../../../http/addresses.ts'
import { checkoutUri } from '../../../http/merchant/payment-reply.ts'
import { shopTime, minorText } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { portalPath } from '../areas.ts'
import { copyHtml } from '../developers/parts.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { mostMessages, messagesIn } from '../payments/callbacks.tsx'
import type { PaymentPageNeeds } from '../payments/payment-page.tsx'
import { standingOf } from '../payments/payment-parts.tsx'
import { markOf, paymentPath } from '../payments/query.ts'
import { stateOf } from '../payments/state.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type WaitNeeds = PaymentPageNeeds & {
  readonly links: Links
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

type Waiting = {
  readonly visitor: PortalVisitor
  readonly tid: string
  readonly payment: RequestedPayment
}

const reloadSeconds = 5

/** Where it stands for whoever takes it; `charging`: accepted, and captured in a moment. */
const standOf = (payment: RequestedPayment) => {
  const state = stateOf(standingOf(payment))
  const isCharging = state === 'reserved' && payment.request.capturesAtOnce === true
  return isCharging ? 'charging' : state
}

type Stand = ReturnType<typeof standOf>

const kindOf = (stand: Stand): 'open' | 'good' | 'bad' => {
  switch (stand) {
    case 'waiting':
    case 'charging':
    case 'reserved':
    case 'partReserved':
      return 'open'
    case 'aborted':
    case 'declined':
    case 'expired':
    case 'failed':
    case 'refunded':
      return 'bad'
    default:
      return 'good'
  }
}

const amountOf = ({ visitor, payment }: Waiting): string => {
  const { captured } = standingOf(payment)
  const { request } = payment
  const requested = request.amount + request.additionalAmount
  return minorText(captured || requested, request.currency, visitor.locale)
}

/** In one word where it stands, which the title says too. */
const saidOf = ({ visitor }: Waiting, stand: Stand): string => {
  const { take, payments } = textsIn[visitor.language]
  return stand === 'charging' ? take.charging : payments[`state_${stand}`]
}

const whyHtml = ({ visitor, payment }: Waiting, stand: Stand): Html => {
  const { take, payments } = textsIn[visitor.language]
  const { statusCode } = payment
  if (stand === 'failed' && (statusCode === 4004 || statusCode === 5007 || statusCode === 5008))
    return filled(payments.event_PaymentFailed, { reason: payments[`failure_${statusCode}`] })
  if (stand === 'declined') return payments.event_PaymentDeclined
  if (stand === 'expired') return payments.event_PaymentExpired
  return stand === 'reserved' ? take.reservedWhat : null
}

/** What the payer needs: the code on the screen and the link, or where the request has gone. */
const wayHtml = async (needs: WaitNeeds, { visitor, tid, payment }: Waiting): Promise<Html> => {
  const texts = textsIn[visitor.language].take
  const { request } = payment
  const link = checkoutUri(needs.links, tid, request)
  if (link === null) {
    const customer = needs.showCustomer(request.customer) ?? ''
    return <p>{filled(texts.sentTo, { customer })}</p>
  }
  const code = await needs.qrImage.dataUrl(needs.links.full(`/payer/payment/${tid}`))
  return [
    <figure class="qr">
      <img src={code} alt={texts.code} width="240" height="240" />
      <figcaption>{texts.codeHint}</figcaption>
    </figure>,
    <p>{texts.link}</p>,
    copyHtml(visitor, 'link', link),
  ]
}

const cancelHtml = ({ visitor, tid }: Waiting): Html => {
  const { shop, csrf, language } = visitor
  return (
    <Form action={portalPath(shop.merchant, `take/${tid}`)} data-once="" hidden={{ csrf }}>
      <div class="actions">
        <Button class="second" text={textsIn[language].take.cancel} />
      </div>
    </Form>
  )
}

const furtherHtml = ({ visitor, tid }: Waiting): Html => {
  const texts = textsIn[visitor.language].take
  const { merchant } = visitor.shop
  return (
    <div class="actions">
      <Link class="button" href={portalPath(merchant, 'take')} text={texts.next} />
      <Link
        class="button second"
        href={portalPath(merchant, paymentPath(tid))}
        text={texts.toPayment}
      />
    </div>
  )
}

const bodyOf = async (needs: WaitNeeds, waiting: Waiting, stand: Stand): Promise<Html> => {
  const { visitor, payment } = waiting
  const texts = textsIn[visitor.language].take
  const { request, expiresAt } = payment
  const isWaiting = stand === 'waiting'
  const time = shopTime(expiresAt, visitor)
  return [
    <Crumbs links={[[portalPath(visitor.shop.merchant, 'take'), texts.title]]} />,
    <section class="card narrow-card taking">
      <p class={`stand ${kindOf(stand)}`} role="status">
        {saidOf(waiting, stand)}
      </p>
      <h1>{amountOf(waiting)}</h1>
      <p class="quiet">
        {request.posTid}
        {request.text !== null && [' · ', request.text]}
      </p>
      {whyHtml(waiting, stand) !== null && <p>{whyHtml(waiting, stand)}</p>}
      {isWaiting
        ? [
            await wayHtml(needs, waiting),
            <p class="quiet small">{filled(texts.until, { time })}</p>,
            cancelHtml(waiting),
          ]
        : furtherHtml(waiting)}
    </section>,
  ]
}

/** A payment that is taken: waits for the payer, and says what came of it. */
export const waitPage = async (needs: WaitNeeds, waiting: Waiting): Promise<PortalPage> => {
  const { visitor, tid, payment } = waiting
  const stand = standOf(payment)
  const { events } = await newestEventsOf(needs)(tid, 1)
  const mark = markOf(needs, events, await messagesIn(needs)(tid, mostMessages))
  const path = portalPath(visitor.shop.merchant, paymentPath(tid, `/events?at=${mark}`))
  const isOver = stand !== 'waiting' && stand !== 'charging'
  return {
    title: `${saidOf(waiting, stand)}: ${amountOf(waiting)}`,
    body: <div data-live={isOver ? undefined : path}>{await bodyOf(needs, waiting, stand)}</div>,
    ...(!isOver && { refreshAfter: reloadSeconds }),
  }
}
