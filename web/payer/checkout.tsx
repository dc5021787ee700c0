import { Button, Link } from '../ui/components.tsx'
import { payments } from '../../domain/aggregates.ts'
import { refuse } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { tidParams, type Links } from '../../http/addresses.ts'
import { changesReply, type Watch } from '../ui/event-stream.ts'
import { type RawReply, type Route, routesOf } from '../../http/route.ts'
import { utcTime } from '../ui/money.tsx'
import { pageAsks } from './page-documentation.ts'
import { backToShop, orderHtml, splitHtml } from './order.tsx'
import { isFor, refuseDisabledShop, statusHtml, type RequestView } from './request.tsx'
import type { Visitor, Visits } from './session.tsx'

type CheckoutNeeds = {
  readonly links: Links
  readonly isSecure: boolean
  readonly caughtUp: () => Promise<void>
  readonly findRequest: (tid: string, at: Instant) => Promise<RequestView | undefined>
  readonly now: () => Instant
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
  readonly watch: Watch
}

const { get } = routesOf({ access: 'OPEN', group: 'Pages', success: 'raw' })

/** The checkout portal, where web shops send customers (interface 4.1). */
export const checkoutRoutes = (needs: CheckoutNeeds, visits: Visits): Route[] => {
  const find = async (tid: string, at: Instant): Promise<RequestView> => {
    await needs.caughtUp()
    const found = await needs.findRequest(tid, at)
    // Only requests without a customer are open to anyone with the link.
    return found && found.request.customer === null ? found : refuse('resource_is_unknown')
  }

  const waiting = async (visitor: Visitor, view: RequestView): Promise<RawReply> => {
    const { texts, locale } = visitor
    const { tid, shop, outcome } = view
    const qr = await needs.qrImage.dataUrl(needs.links.full(`/payer/payment/${tid}`))
    const page = {
      title: `${texts.pay} – ${shop}`,
      refreshAfter: 10,
      body: splitHtml(
        [backToShop(visitor, view), orderHtml(visitor, view)],
        [
          <div class="qr computer">
            <h2>{texts.scanPay}</h2>
            <img src={qr} alt={texts.scanPay} width="240" height="240" />
          </div>,
          <p class="or computer">{texts.or}</p>,
          <div class="actions">
            <Link class="button" href={`/payer/payment/${tid}?checkout`} text={texts.here} />
          </div>,
          <p class="quiet small">{texts.hereHint}</p>,
          <div class="waiting">
            <p role="status">
              <b>{texts.statusPending}</b>
            </p>
            <p class="quiet small" data-scripted="" hidden>
              {texts.live}
            </p>
            <p class="quiet small">
              {texts.expires} {utcTime(outcome.expiresAt, locale)}
            </p>
          </div>,
        ],
        `/payer/checkout/${tid}/events`,
      ),
    }
    return visits.show(visitor, page, { isPayment: true })
  }

  const ended = (visitor: Visitor, view: RequestView): Promise<RawReply> => {
    const { texts } = visitor
    const { request, outcome, shop } = view
    if (visitor.session && !isFor(view, visitor.session.payer))
      return refuse('payment_is_for_another_payer')
    const back = outcome.status === 'fail' ? request.failureReturnUri : request.successReturnUri
    const page = {
      title: `${texts.payment} – ${shop}`,
      body: (
        <div class="card">
          {statusHtml(visitor, view)}
          {orderHtml(visitor, view)}
          {back !== null && [
            <div class="actions">
              <a class="button" data-return="" href={back}>
                {texts.goBack}
              </a>
              <Button type="button" class="second" data-stay="" hidden text={texts.stay} />
            </div>,
            <p class="quiet small" data-scripted="" hidden>
              {texts.goingBack}
            </p>,
          ]}
        </div>
      ),
    }
    return visits.show(visitor, page, { isPayment: true })
  }

  return [
    get('/payer/checkout/:tid', {
      summary: 'The checkout portal of a payment request without a customer',
      params: tidParams,
      ...pageAsks.checkout,
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.page(call, async (visitor) => {
          const view = await find(call.params.tid, call.at)
          refuseDisabledShop(view.outcome.status, view.isShopDisabled)
          return view.outcome.status === 'pending' ? waiting(visitor, view) : ended(visitor, view)
        }),
    }),
    get('/payer/checkout/:tid/events', {
      summary: 'Server-sent events: `changed` as soon as the request is no longer waiting',
      params: tidParams,
      ...pageAsks.checkoutEvents,
      replyTypes: ['text/event-stream'],
      handle: (call) =>
        visits.page(call, async ({ session }) => {
          const { tid } = call.params
          await needs.caughtUp()
          const found = await needs.findRequest(tid, call.at)
          // Serves this page and the next ones, also for a customer named by the shop.
          const isPublic = found?.request.customer === null
          if (!found || !(isPublic || (session && isFor(found, session.payer))))
            return refuse('resource_is_unknown')
          const hasChanged = async () => {
            await needs.caughtUp()
            return (await needs.findRequest(tid, needs.now()))?.outcome.status !== 'pending'
          }
          const from = call.request.remoteAddress ?? ''
          const mayStill = async () =>
            isPublic || (session !== undefined && visits.goesOn(session.digest, needs.now()))
          const watched = { stream: streamOf(payments, tid), from, mayStill }
          return changesReply(needs.watch, watched, hasChanged, needs.isSecure)
        }),
    }),
  ]
}
