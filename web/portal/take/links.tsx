import { z } from 'zod'
import type { Handle } from '../../../application/handle.ts'
import { customerOfOffer, type makeOffer } from '../../../application/sell-offers.ts'
import { offers } from '../../../domain/aggregates.ts'
import { isOver, leftOf } from '../../../domain/merchant/offer.ts'
import { isTheirPos } from '../../../domain/merchant/staff-roles.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { Instant } from '../../../domain/time.ts'
import { generatedId, type Links } from '../../../http/addresses.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { valuePath } from '../../../http/merchant/shortlink-code.ts'
import type { Route } from '../../../http/route.ts'
import type { OfferQueries, OfferRow, Paid } from '../../../projections/offers.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Visits } from '../../payer/session.tsx'
import {
  Actions,
  Button,
  Crumbs,
  Done,
  Facts,
  Form,
  Link,
  Quiet,
  Table,
  Title,
  type Html,
} from '../../ui/components.tsx'
import { anyText, plainForm, typed } from '../../ui/fields.tsx'
import { shopTime, minorText } from '../../ui/money.tsx'
import { portalPath } from '../areas.ts'
import { actHtml, questionHtml, copyHtml } from '../developers/parts.tsx'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { portalPages, shopParams } from '../pages.ts'
import { namesOfPos } from '../payments/query.ts'
import type { FormNeeds } from './form.tsx'
import {
  linkFieldsIn,
  linkForm,
  newLinkPage,
  noLink,
  readLink,
  StockField,
  stockIn,
} from './link-form.tsx'

export type LinkNeeds = PortalNeeds &
  FormNeeds & {
    readonly handle: Handle
    readonly links: Links
    readonly offers: OfferQueries
    readonly makeOffer: ReturnType<typeof makeOffer>
    /** The id of the link that a form makes, the same however often it is sent. */
    readonly offerIdFor: (...made: readonly string[]) => string
    readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
    readonly newToken: () => { readonly token: string }
    /** The newest event of a merchant that this process knows of. */
    readonly newestOf: (merchant: string) => number
  }

const mostListed = 50

const standingOf = (row: OfferRow, at: Instant): 'open' | 'soldOut' | 'over' => {
  if (isOver(row, at)) return 'over'
  return leftOf(row) === 0 ? 'soldOut' : 'open'
}

const linkPath = (merchant: string, id = ''): string => portalPath(merchant, `links/${id}`)

/** The links of a merchant that the role may see. @throws Refusal resource_is_unknown */
const offerOf = (needs: LinkNeeds, { shop, me }: PortalVisitor, id: string): OfferRow => {
  const row = needs.offers.find(id)
  const isTheirs = row?.merchant === shop.merchant && isTheirPos(me.terms, row.posId)
  return isTheirs ? row : refuse('resource_is_unknown')
}

const listHtml = (visitor: PortalVisitor, rows: readonly OfferRow[], at: Instant): Html => {
  const { language, locale, shop } = visitor
  const texts = textsIn[language].take
  const heads = [
    texts.linkText,
    { number: textsIn[language].payments.amount },
    { number: texts.linkHeld },
    { number: texts.linkLeft },
    texts.linkStanding,
  ]
  const cells = rows.map((row) => [
    { head: <a href={linkPath(shop.merchant, row.id)}>{row.text}</a> },
    { number: minorText(row.amount, row.currency, locale) },
    { number: row.held },
    { number: leftOf(row) ?? '∞' },
    texts[`link_${standingOf(row, at)}`],
  ])
  return <Table label={texts.links} kind="grid stacks labels-of" heads={heads} rows={cells} />
}

const listPage = async (
  needs: LinkNeeds,
  visitor: PortalVisitor,
  at: Instant,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const { language, shop, me } = visitor
  const texts = textsIn[language].take
  const all = needs.offers.list(shop.merchant, Number.MAX_SAFE_INTEGER, mostListed)
  const rows = all.filter(({ posId }) => isTheirPos(me.terms, posId))
  return {
    title: texts.links,
    body: [
      <Crumbs links={[[portalPath(shop.merchant, 'take'), texts.title]]} />,
      <Title text={texts.links}>
        <Link class="button" href={portalPath(shop.merchant, 'new-link')} text={texts.linkNew} />
      </Title>,
      <section class="card">
        <Quiet text={texts.linksWhat} />
        {rows.length === 0 ? <Quiet text={texts.linksNone} /> : listHtml(visitor, rows, at)}
        {all.length === mostListed && <Quiet text={texts.linksMost({ count: mostListed })} />}
      </section>,
    ],
    follow: portalPath(shop.merchant, `events?after=${needs.newestOf(shop.merchant)}`),
  }
}

const factsHtml = (needs: LinkNeeds, visitor: PortalVisitor, row: OfferRow): Html => {
  const texts = textsIn[visitor.language].take
  const paid = needs.offers.paid(row.merchant, customerOfOffer(row.id))
  const money = (minor: number) => minorText(minor, row.currency, visitor.locale)
  const names = namesOfPos(needs, row.merchant)
  const paidFacts = ({ count, captured, refunded }: Paid) => [
    [texts.linkPaid, count] as const,
    [texts.linkSum, money(captured)] as const,
    ...(refunded > 0 ? [[texts.linkRefunded, money(refunded)] as const] : []),
  ]
  return (
    <Facts
      kind="dev-facts screen"
      of={[
        ...(paid ? paidFacts(paid) : [[texts.linkHeld, row.held] as const]),
        [texts.linkLeft, leftOf(row) ?? texts.linkAny],
        [
          texts.linkLastDay,
          // The last moment of the day.
          row.until === null ? texts.linkNoEnd : shopTime(row.until - 1, visitor),
        ],
        [texts.pos, names.get(row.posId) ?? row.posId],
      ]}
    />
  )
}

const changesHtml = (
  visitor: PortalVisitor,
  row: OfferRow,
  stockText: string,
  problem: Html,
): Html => {
  const { csrf, language } = visitor
  const texts = textsIn[language].take
  const path = linkPath(row.merchant, row.id)
  const end = { path, change: 'end', label: texts.linkEnd, kind: 'danger' } as const
  return (
    <section class="card narrow-card screen">
      <Form action={path} hidden={{ csrf, change: 'stock' }}>
        <StockField language={language} value={stockText} problem={problem} />
        <Actions kind="second" button={texts.linkChange} />
      </Form>
      {questionHtml(texts.linkEnd, texts.linkEndWhat, actHtml(visitor, end))}
    </section>
  )
}

type One = { readonly at: Instant; readonly done?: string | null; readonly wrongStock?: string }

const doneText = ({ language }: PortalVisitor, done: string | null | undefined) => {
  const texts = textsIn[language].take
  return { made: texts.linkMade, changed: texts.linkChanged }[done ?? '']
}

/** What is sent or printed. */
const codeHtml = async (
  needs: LinkNeeds,
  visitor: PortalVisitor,
  { id }: OfferRow,
): Promise<Html> => {
  const { points, take: texts } = textsIn[visitor.language]
  const address = needs.links.full(valuePath(id))
  return (
    <>
      <figure class="qr">
        <img src={await needs.qrImage.dataUrl(address)} alt={texts.code} width="240" height="240" />
        <figcaption>{texts.codeHint}</figcaption>
      </figure>
      <p class="screen">{texts.linkSend}</p>
      {copyHtml(visitor, 'link', address)}
      <p class="actions screen">
        <Link
          class="button second"
          href={`/shortlink/v1/qr_image/${id}/`}
          download
          text={texts.linkPicture}
        />
        <Button
          type="button"
          class="second"
          data-print=""
          data-scripted=""
          hidden
          text={points.print}
        />
      </p>
    </>
  )
}

const linkPage = async (
  needs: LinkNeeds,
  visitor: PortalVisitor,
  row: OfferRow,
  { at, done, wrongStock }: One,
): Promise<PortalPage> => {
  const { language, locale } = visitor
  const texts = textsIn[language].take
  const standing = standingOf(row, at)
  const payments = `payments?q=${encodeURIComponent(customerOfOffer(row.id))}`
  const problem = wrongStock === undefined ? undefined : texts.linkWrongStock
  const stockText = wrongStock ?? String(row.stock ?? '')
  return {
    title: row.text,
    status: wrongStock === undefined ? 200 : 400,
    body: [
      <Crumbs links={[[portalPath(row.merchant, 'links'), texts.links]]} />,
      <Done text={doneText(visitor, done)} />,
      <section class="card narrow-card taking">
        <p class="stand open" role="status">
          {texts[`link_${standing}`]}
        </p>
        <h1>{minorText(row.amount, row.currency, locale)}</h1>
        <p class="quiet">{row.text}</p>
        {await codeHtml(needs, visitor, row)}
        {factsHtml(needs, visitor, row)}
        <p class="screen">
          <Link href={portalPath(row.merchant, payments)} text={texts.linkPayments} />
        </p>
      </section>,
      !row.isEnded && changesHtml(visitor, row, stockText, problem),
    ],
    follow: portalPath(row.merchant, `events?after=${needs.newestOf(row.merchant)}`),
  }
}

const changeForm = plainForm.extend({
  change: z.enum(['stock', 'end']),
  stock: typed('How many can pay.', '20').optional(),
})

const changing =
  (needs: LinkNeeds, visits: Visits) =>
  async (
    visitor: PortalVisitor,
    call: Call<{ readonly offer: string }, undefined, FormOf<typeof changeForm>>,
  ): Promise<PageOrReply> => {
    await needs.caughtUp()
    const row = offerOf(needs, visitor, call.params.offer)
    const stockText = fieldOf(call.body, 'stock').trim()
    const stock = stockIn(stockText)
    const isEnd = fieldOf(call.body, 'change') === 'end'
    if (!isEnd && stock === undefined)
      return linkPage(needs, visitor, row, { at: call.at, wrongStock: stockText })
    const command = isEnd
      ? ({ type: 'EndOffer' } as const)
      : ({ type: 'ChangeStock', stock: stock ?? null } as const)
    await needs.handle(offers, row.id, command, contextOfStaff(call as Call, visitor))
    return visits.go(visitor, `${linkPath(row.merchant, row.id)}?done=changed`)
  }

/** Payment links that many may pay: makes, shows, changes and ends them. */
export const linkRoutes = (needs: LinkNeeds, visits: Visits): Route[] => {
  const { page, form } = portalPages(needs, visits)
  const place = { action: 'take_payment', area: 'take' } as const
  const path = '/portal/:merchant/links'
  const start = { ...place, path: '/portal/:merchant/new-link' }
  const one = {
    ...place,
    path: `${path}/:offer`,
    params: shopParams.extend({ offer: generatedId }),
  }
  return [
    page({ ...place, path, summary: 'Payment links that many may pay' }, (visitor, { at }) =>
      listPage(needs, visitor, at),
    ),
    page({ ...start, summary: 'A new payment link' }, async (visitor, { at }) =>
      newLinkPage(needs, visitor, { fields: noLink, attempt: needs.newToken().token, at }),
    ),
    form({ ...start, summary: 'Make a payment link', ownForm: linkForm }, async (visitor, call) => {
      const { merchant, isDisabled } = visitor.shop
      if (isDisabled) return refuse('merchant_is_disabled')
      const { at } = call
      const fields = linkFieldsIn(call.body)
      const attempt = fieldOf(call.body, 'attempt')
      const { offer, problems = {} } = readLink(visitor, fields, at)
      if (!offer) return newLinkPage(needs, visitor, { fields, attempt, at, problems })
      const id = needs.offerIdFor(merchant, attempt, JSON.stringify(fields))
      await needs.makeOffer(id, offer, contextOfStaff(call as Call, visitor))
      return visits.go(visitor, `${linkPath(merchant, id)}?done=made`)
    }),
    page(
      {
        ...one,
        summary: 'A payment link: its code, and what was paid',
        ownQuery: z.object({ done: anyText('What was done.') }),
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const row = offerOf(needs, visitor, call.params.offer)
        const done = searchOf(call as Call).get('done')
        return linkPage(needs, visitor, row, { at: call.at, done })
      },
    ),
    form(
      { ...one, summary: 'Change how many can pay, or end it', ownForm: changeForm },
      changing(needs, visits),
    ),
  ]
}
