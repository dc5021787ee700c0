import { html } from 'hono/html'
import { z } from 'zod'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { asked } from '../../ui/form-parts.ts'
import type { Html } from '../../ui/page.ts'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { crumbs, doneHtml } from '../parts.ts'
import { codeParams } from './code-changes.ts'
import { labelForm, type LabelNeeds } from './labels.ts'
import { doneText } from './list.ts'
import { addressOfCode, codeOf, pointsPath, type CodeData } from './rows.ts'
import { scansHtml, type ScanNeeds } from './scans.ts'
import { pointTexts, type PointTexts } from './texts.ts'

export type CodeNeeds = ScanNeeds &
  LabelNeeds & {
    /** The newest event of a merchant that this process knows of. */
    readonly newestOf: (merchant: string) => number
  }

const aboutHtml = (texts: PointTexts, code: CodeData, address: string): Html =>
  html`<dl class="facts">
    <dt>${texts.address}</dt>
    <dd><code>${address}</code></dd>
    <dt>${texts.callback}</dt>
    <dd>${code.callbackUri ?? '–'}</dd>
    <dt>${texts.serial}</dt>
    <dd>${code.serialNumber ?? '–'}</dd>
  </dl>`

const codePage = async (
  needs: CodeNeeds,
  visitor: PortalVisitor,
  call: Call<{ readonly shortlink_id: string }>,
): Promise<PortalPage> => {
  await needs.caughtUp()
  const texts = pointTexts[visitor.language]
  const code = codeOf(needs, visitor, call.params.shortlink_id)
  const { merchant } = visitor.shop
  const path = (more: string) => portalPath(merchant, pointsPath(`/code/${code.id}${more}`))
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const title = code.description ?? code.id
  const address = addressOfCode(needs, code.id)
  return {
    title,
    body: html`${crumbs([portalPath(merchant, pointsPath()), texts.pos])}
      ${doneHtml(doneText(texts, searchOf(call).get('done')))}
      <div class="head">
        <h1>${title}</h1>
        ${
          mayChange
            ? html`<div class="buttons">
                <a class="button second" href="${path('/change')}">${texts.change}</a>
                <a class="button danger" href="${path('/change?remove')}">${texts.remove}</a>
              </div>`
            : ''
        }
      </div>
      <div class="columns">
        <div>
          ${labelForm(visitor, code)}
          <section class="card code">
            <h2>${texts.poster}</h2>
            <p>${texts.posterWhat}</p>
            <img src="${await needs.qrImage.dataUrl(address)}" alt="${address}" />
            <p><a class="button second" href="${path('/poster')}">${texts.printPoster}</a></p>
            ${aboutHtml(texts, code, address)}
          </section>
        </div>
        <div>${scansHtml(needs, visitor, code, call.at)}</div>
      </div>`,
    follow: portalPath(merchant, `events?after=${needs.newestOf(merchant)}`),
  }
}

/** A code: what it looks like, and how often it is scanned. */
export const codeRoute = (needs: CodeNeeds, { page }: PortalPages): Route =>
  page(
    {
      path: '/portal/:merchant/points-of-sale/code/:shortlink_id',
      summary: 'A code, and its scans of the last days',
      params: codeParams,
      action: 'see_points_of_sale',
      area: 'pointsOfSale',
      ownQuery: z.object({ done: asked('What was done.') }),
    },
    (visitor, call) => codePage(needs, visitor, call),
  )
