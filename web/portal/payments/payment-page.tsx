import { Card, Crumbs, Done, Table, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import type { EventStore } from '../../../application/event-store.ts'
import type { Find } from '../../../application/find-state.ts'
import { newestEventsOf, type PaymentPart } from '../../../application/payment-history.ts'
import type { StaffWork } from '../../../application/staff.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import { attachmentsHtml, type PayerAttachmentNeeds } from '../../payer/attachment.tsx'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalPages } from '../pages.ts'
import { disputesHtml } from './disputes.tsx'
import { findPayment, namesOfPos, paymentParams, paymentPath, markOf } from './query.ts'
import { moneyLinesHtml, type CountingNeeds, potsHtml } from './money-lines.tsx'
import {
  detailsHtml,
  headHtml,
  proofHtml,
  type DetailNeeds,
  type PaymentView,
} from './payment-parts.tsx'
import { timelineHtml, type TimelineView } from './timeline.tsx'
import { callbacksHtml, furtherHtml, messagesOf, type MessageNeeds } from './callbacks.tsx'
import {
  type RequestedPayment,
  available,
  refundable,
  type Part,
} from '../../../domain/payment/payment-state.ts'
import { plainAmounts, minorText, shopTime } from '../../ui/money.tsx'
import { findItem, type ChunkedList } from '../../../domain/chunked-list.ts'
import { isNothing, nothing, type Pots } from '../../../domain/money/money.ts'
import type { Instant } from '../../../domain/time.ts'
import { filled } from '../../ui/words.tsx'
import { paymentActions } from './action-input.ts'
import { grossOf } from './preview.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

/** What an address says was done just now; `part` is the id of a capture or refund. */
type Done = { readonly done: string | null; readonly part: string | null }

/** The amount, and what is left now; undefined for what the payment knows nothing of. */
const doneText = ({ visitor, texts, payment }: PaymentView, { done, part }: Done): Html => {
  const { captures, refunds, released, request, expiresAt } = payment
  const money = (pots: Pots) => minorText(grossOf(pots), request.currency, visitor.locale)
  const ofPart = (parts: ChunkedList<Part>, name: 'capture' | 'refund', left: Pots) => {
    const one = findItem(parts, ({ id }) => id !== null && id === part)
    if (one === undefined) return undefined
    return isNothing(left)
      ? filled(texts[`done_${name}All`], { amount: money(one) })
      : filled(texts[`done_${name}`], { amount: money(one), left: money(left) })
  }
  const left = payment.status === 'auth' ? available(payment) : nothing
  switch (paymentActions.find((one) => one === done)) {
    case 'capture':
      return ofPart(captures, 'capture', left)
    case 'refund':
      return ofPart(refunds, 'refund', refundable(payment))
    case 'release':
      if (!payment.endedByMerchant) return undefined
      return isNothing(released)
        ? filled(texts.done_abort, { amount: money(request) })
        : filled(texts.done_release, { amount: money(released) })
    case 'renew':
      return payment.isRenewed
        ? filled(texts.done_renew, {
            amount: money(left),
            time: shopTime(expiresAt, visitor),
          })
        : undefined
    case undefined:
      return undefined
  }
}

/** Confirms what was done. */
const paymentDone = (view: PaymentView, what: Done): Html => {
  const text = doneText(view, what)
  return <Done text={text && <span>{text}</span>} />
}

/** What was bought: the line items; nothing where the shop has told none. */
const itemsHtml = (
  { details: { lineItems }, request }: RequestedPayment,
  texts: Catalogue['payments'],
  locale: string,
): Html => {
  if (lineItems.length === 0) return null
  const plain = plainAmounts(locale, request.currency)
  const total = `${texts.total}, ${request.currency}`
  const numbers = [texts.quantity, texts.vat, total].map((number) => ({ number }))
  const rows = lineItems.map(({ productId, description, quantity, total, vat, vatRate }) => [
    [
      description ?? productId,
      ' ',
      description !== null && <small class="quiet">{productId}</small>,
    ],
    { number: quantity },
    {
      number: [vat !== null && plain(vat), ' ', vatRate !== null && <small>({vatRate} %)</small>],
    },
    { number: plain(total) },
  ])
  return (
    <Table label={texts.bought} kind="grid items" heads={[texts.item, ...numbers]} rows={rows} />
  )
}

export type PaymentPageNeeds = CountingNeeds &
  DetailNeeds &
  PayerAttachmentNeeds &
  Pick<StaffWork, 'findStaff' | 'nameOf'> &
  MessageNeeds & {
    readonly find: Find
    readonly store: Pick<EventStore, 'readStream'>
    readonly revisionOf: (stream: string) => number | undefined
    readonly caughtUp: () => Promise<void>
    /** Known and not erased. */
    readonly hasPerson: (person: string) => boolean
    readonly digestOf: (text: string) => string
  }

export const mostEvents = 100

const namesOf = async (
  { findStaff, nameOf }: PaymentPageNeeds,
  merchant: string,
  actors: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>()
  if (![...actors].some((actor) => actor.startsWith('staff:'))) return names
  for (const { member, person } of (await findStaff(merchant)).members) {
    const name = actors.has(`staff:${member}`) ? await nameOf(person) : undefined
    if (name !== undefined) names.set(member, name)
  }
  return names
}

const boughtHtml = async (needs: PaymentPageNeeds, view: PaymentView): Promise<Html> => {
  const { visitor, texts, tid, payment } = view
  const { payer, request } = payment
  // Attachments are sealed with the payer's key, so none after erasure.
  const isErased = payer !== null && !needs.hasPerson(payer)
  const pictures = `${portalPath(visitor.shop.merchant, paymentPath(tid))}/attachment/`
  const of = { tid, currency: request.currency, pictures }
  const attached = isErased ? [] : await attachmentsHtml(needs, visitor, of)
  const items = itemsHtml(payment, texts, visitor.locale)
  if (items === null && attached.length === 0) return null
  return (
    <Card title={texts.bought}>
      {items} {attached}
    </Card>
  )
}

type PageQuery = Done & {
  readonly at: Instant
  /** Of pages further back: a revision of the payment, and a place of its callbacks. */
  readonly before: number | undefined
  readonly beforeMessage: number | undefined
}

const numberIn = (text: string | null): number | undefined =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined

const pagesHtml = (
  { visitor, texts, tid }: PaymentView,
  { events, more }: PaymentPart,
  isFurtherBack: boolean,
): Html => {
  const path = portalPath(visitor.shop.merchant, paymentPath(tid))
  const older = `${path}?before=${events.at(-1)?.revision ?? 0}`
  return furtherHtml(
    isFurtherBack ? [path, texts.newestEvents] : undefined,
    more === 0 ? undefined : [older, texts.olderEvents({ count: more })],
  )
}

const bodyOf = async (needs: PaymentPageNeeds, view: PaymentView, query: PageQuery) => {
  const { at, done, part, before, beforeMessage } = query
  const { visitor, texts, tid, payment } = view
  const { locale, shop } = visitor
  const history = await newestEventsOf(needs)(tid, mostEvents, before)
  const { messages, hasMore } = await messagesOf(needs, tid, beforeMessage)
  const actors = new Set(history.events.map(({ metadata }) => metadata.actor))
  const names = await namesOf(needs, shop.merchant, actors)
  const timeline: TimelineView = {
    texts,
    locale,
    shop,
    at: visitor.at,
    currency: payment.request.currency,
    names,
    posNames: namesOfPos(needs, shop.merchant),
  }
  const pages = pagesHtml(view, history, before !== undefined)
  const path = portalPath(shop.merchant, paymentPath(tid))
  const lines = await moneyLinesHtml(needs, timeline, visitor, payment, history.events)
  const further = furtherHtml(
    beforeMessage === undefined ? undefined : [path, texts.newestCallbacks],
    hasMore ? [`${path}?told=${messages.at(-1)?.place}`, texts.olderCallbacks] : undefined,
  )
  const body = [
    <Crumbs links={[[portalPath(shop.merchant, 'payments'), texts.payments]]} />,
    <div data-part="done">{paymentDone(view, { done, part })}</div>,
    <div data-part="head">{headHtml(view)}</div>,
    <div class="pay">
      <div data-part="main">
        <Card title={texts.picture}>{potsHtml(payment, texts, locale)}</Card>
        {disputesHtml(view, at)}
        {await boughtHtml(needs, view)}
        <Card title={texts.fees}>
          {lines} {pages}
        </Card>
      </div>
      <div data-part="side">
        <Card title={texts.timeline}>
          {timelineHtml(timeline, history.events)}
          {pages}
        </Card>
        <Card title={texts.details}>{detailsHtml(needs, view)}</Card>
        <Card title={texts.callbacks}>
          {callbacksHtml(visitor, texts, messages)}
          {further}
        </Card>
        {proofHtml(view)}
      </div>
    </div>,
  ]
  return { body, mark: markOf(needs, history.events, messages) }
}

/** One payment: where it stands, and what has happened to it, a part at a time. */
export const paymentPageRoute = (needs: PaymentPageNeeds, { page }: PortalPages): Route => {
  const find = findPayment(needs)
  return page(
    {
      path: '/portal/:merchant/payments/:tid',
      summary: 'One payment: its money, its events, its callbacks',
      params: paymentParams,
      action: 'see_payments',
      area: 'payments',
      ownQuery: z.object({
        before: anyText('Events before this revision.'),
        done: anyText('What was done just now.'),
        part: anyText('The capture or refund that was done.'),
        told: anyText('Callbacks before this place.'),
      }),
    },
    async (visitor, call: Call<{ readonly tid: string }>) => {
      await needs.caughtUp()
      const { tid } = call.params
      const payment = await find(visitor, tid, call.at)
      const texts = textsIn[visitor.language].payments
      const view = { visitor, texts, tid, payment }
      const search = searchOf(call)
      const before = numberIn(search.get('before'))
      const beforeMessage = numberIn(search.get('told'))
      const { at } = call
      const query = {
        at,
        before,
        beforeMessage,
        done: search.get('done'),
        part: search.get('part'),
      }
      const { body, mark } = await bodyOf(needs, view, query)
      const { posTid } = payment.request
      const follow = portalPath(visitor.shop.merchant, paymentPath(tid, `/events?at=${mark}`))
      // What is past does not change.
      const isNewest = before === undefined && beforeMessage === undefined
      return { title: posTid, body, ...(isNewest && { follow }) }
    },
  )
}
