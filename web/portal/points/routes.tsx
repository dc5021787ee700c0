import { Button, Crumbs, Done, Link, type Html, Title } from '../../ui/components.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import { portalPages, type PortalPages } from '../pages.ts'
import { codeFormRoutes, type CodeFormNeeds, codeParams } from './code-changes.ts'
import { pointListRoute, doneText } from './list.tsx'
import { posFormRoutes } from './pos.ts'
import { type Call, searchOf } from '../../../http/call.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { labelQuery, labelsPage, labelForm, type LabelNeeds } from './labels.tsx'
import { addressOfCode, codeOf, pointsPath, type CodeData } from './rows.ts'
import { z } from 'zod'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { anyText } from '../../ui/fields.tsx'
import { scansHtml, type ScanNeeds } from './scans.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type CodeNeeds = ScanNeeds &
  LabelNeeds & {
    /** The newest event of a merchant that this process knows of. */
    readonly newestOf: (merchant: string) => number
  }

const aboutHtml = (texts: Catalogue['points'], code: CodeData, address: string): Html => (
  <dl class="facts">
    <dt>{texts.address}</dt>
    <dd>
      <code>{address}</code>
    </dd>
    <dt>{texts.callback}</dt>
    <dd>{code.callbackUri ?? '–'}</dd>
    <dt>{texts.serial}</dt>
    <dd>{code.serialNumber ?? '–'}</dd>
  </dl>
)

const codePage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<{ readonly shortlink_id: string }>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = textsIn[visitor.language].points
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const { merchant } = visitor.shop
  const path = (more: string) => portalPath(merchant, pointsPath(`/code/${code.id}${more}`))
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const title = code.description ?? code.id
  const address = addressOfCode(needs, code.id)
  return {
    title,
    body: [
      <Crumbs links={[[portalPath(merchant, pointsPath()), texts.pos]]} />,
      <Done text={doneText(texts, searchOf(call).get('done'))} />,
      <Title text={title}>
        {mayChange && (
          <div class="buttons">
            <Link class="button second" href={path('/change')} text={texts.change} />
            <Link class="button danger" href={path('/change?remove')} text={texts.remove} />
          </div>
        )}
      </Title>,
      <div class="columns">
        <div>
          {labelForm(visitor, code)}
          <section class="card code">
            <h2>{texts.poster}</h2>
            <p>{texts.posterWhat}</p>
            <img src={await needs.qrImage.dataUrl(address)} alt={address} />
            <p>
              <Link class="button second" href={path('/poster')} text={texts.printPoster} />
            </p>
            {aboutHtml(texts, code, address)}
          </section>
        </div>
        <div>{scansHtml(needs, visitor, code, call.at)}</div>
      </div>,
    ],
    follow: portalPath(merchant, `events?after=${needs.newestOf(merchant)}`),
  }
}

/** A code: what it looks like, and how often it is scanned. */
const codeRoute = (needs: CodeNeeds, { page }: PortalPages): Route =>
  page(
    {
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id',
      summary: 'A code, and its scans of the last days',
      params: codeParams,
      action: 'see_points_of_sale',
      area: 'pointsOfSale',
      ownQuery: z.object({ done: anyText('What was done.') }),
    },
    (visitor, call) => codePage(needs, visitor, call),
  )

type Params = { readonly shortlink_id: string }

const toPrint = (texts: Catalogue['points'], hint: string): Html => [
  <p class="quiet screen">{hint}</p>,
  <p class="screen" data-scripted="" hidden>
    <Button type="button" data-print="" text={texts.print} />
  </p>,
]

const backTo = (visitor: PortalVisitor, { id, description }: CodeData): Html => (
  <Link
    class="back screen"
    href={portalPath(visitor.shop.merchant, pointsPath(`/code/${id}`))}
    text={description ?? id}
  />
)

const posterPage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<Params>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = textsIn[visitor.language].points
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const address = addressOfCode(needs, code.id)
  return {
    title: texts.poster,
    body: [
      backTo(visitor, code),
      toPrint(texts, texts.posterPrint),
      <article class="poster">
        <h1>{visitor.shop.name}</h1>
        <p class="call">{texts.scanToPay}</p>
        <img src={await needs.qrImage.dataUrl(address)} alt={address} />
        {code.description !== null && <p class="where">{code.description}</p>}
        <p class="small">{address}</p>
      </article>,
    ],
  }
}

const labelPage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<Params>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  return labelsPage(needs, visitor, code, {
    call: call as Call,
    back: backTo(visitor, code),
    toPrint: (hint) => toPrint(textsIn[visitor.language].points, hint),
  })
}

const place = { params: codeParams, action: 'see_points_of_sale', area: 'pointsOfSale' } as const

/** What is printed of a code: a poster, and a sheet of labels, each with a code of its own. */
const printRoutes = (needs: CodeNeeds, { page }: PortalPages): Route[] => [
  page(
    {
      ...place,
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id/poster',
      summary: 'A poster of a code, to be printed on A5',
    },
    (visitor, call) => posterPage(needs, visitor, call),
  ),
  page(
    {
      ...place,
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id/labels',
      summary: 'Labels of a code, to be printed on A4',
      ownQuery: labelQuery,
    },
    (visitor, call) => labelPage(needs, visitor, call),
  ),
]

/** Points of sale and codes, as the staff of a merchant see them (interface 18). */
export const portalPointRoutes = (
  needs: PortalNeeds & CodeFormNeeds & CodeNeeds,
  visits: Visits,
): Route[] => {
  const pages = portalPages(needs, visits)
  return [
    pointListRoute(needs, pages),
    ...posFormRoutes(needs, pages, visits),
    ...codeFormRoutes(needs, pages, visits),
    codeRoute(needs, pages),
    ...printRoutes(needs, pages),
  ]
}
