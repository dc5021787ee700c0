import { html } from 'hono/html'
import type { Call } from '../../../http/call.ts'
import type { Html } from '../../ui/page.ts'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { codeParams } from './code-changes.ts'
import type { CodeNeeds } from './code.ts'
import { labelQuery, labelsPage } from './labels.ts'
import { addressOfCode, codeOf, pointsPath, type CodeData } from './rows.ts'
import { pointTexts, type PointTexts } from './texts.ts'

type Params = { readonly shortlink_id: string }

const toPrint = (texts: PointTexts, hint: string): Html =>
  html`<p class="quiet screen">${hint}</p>
    <p class="screen" data-scripted hidden>
      <button type="button" data-print>${texts.print}</button>
    </p>`

const backTo = (visitor: PortalVisitor, { id, description }: CodeData): Html =>
  html`<a class="back screen" href="${portalPath(visitor.shop.merchant, pointsPath(`/code/${id}`))}"
    >${description ?? id}</a
  >`

const posterPage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<Params>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = pointTexts[visitor.language]
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const address = addressOfCode(needs, code.id)
  return {
    title: texts.poster,
    body: html`${backTo(visitor, code)} ${toPrint(texts, texts.posterPrint)}
      <article class="poster">
        <h1>${visitor.shop.name}</h1>
        <p class="call">${texts.scanToPay}</p>
        <img src="${await needs.qrImage.dataUrl(address)}" alt="${address}" />
        ${code.description === null ? '' : html`<p class="where">${code.description}</p>`}
        <p class="small">${address}</p>
      </article>`,
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
    toPrint: (hint) => toPrint(pointTexts[visitor.language], hint),
  })
}

const place = { params: codeParams, action: 'see_points_of_sale', area: 'pointsOfSale' } as const

/** What is printed of a code: a poster, and a sheet of labels, each with a code of its own. */
export const printRoutes = (needs: CodeNeeds, { page }: PortalPages): Route[] => [
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
