import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { dayMs, type Instant } from '../../../domain/time.ts'
import { searchOf } from '../../../http/call.ts'
import type { Html } from '../../ui/page.ts'
import { unseen } from '../../ui/words.ts'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { doneHtml, headedTable, quiet, scrolling } from '../parts.ts'
import { keysLink } from './forms.ts'
import { mostShown, pointsPath, type CodeData, type PointNeeds, type PosData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export const daysOfScans = 14

const posHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['points'],
  all: readonly PosData[],
): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const hrefOf = (id: string) => path(`/pos/${encodeURIComponent(id)}`)
  const rows = all.map(
    ({ id, name, type }) =>
      html`<tr>
        <td>${mayChange ? html`<a href="${hrefOf(id)}">${name}</a>` : name}</td>
        <td><code>${id}</code></td>
        <td>${texts[`type_${type}`]}</td>
      </tr>`,
  )
  return html`<section class="card">
    <div class="head">
      <h2>${texts.pos}</h2>
      ${mayChange ? html`<a class="button" href="${path('/new')}">${texts.newPos}</a>` : ''}
    </div>
    ${
      all.length === 0
        ? quiet(texts.posNone)
        : scrolling(texts.pos, headedTable('grid', [texts.name, texts.id, texts.type], rows))
    }
    ${keysLink(visitor)}
  </section>`
}

type Counts = ReadonlyMap<string, number>

const codesHtml = (
  visitor: PortalVisitor,
  texts: Catalogue['points'],
  all: readonly CodeData[],
  counts: Counts,
): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const haveStickers = all.some(({ serialNumber }) => serialNumber !== null)
  const sticker = haveStickers ? [texts.sticker] : []
  const heads = [texts.code, ...sticker, { number: texts.scansIn }, unseen(texts.labels)]
  const rows = all.map(
    ({ id, description, serialNumber }) =>
      html`<tr>
        <td><a href="${path(`/code/${id}`)}">${description ?? id}</a></td>
        ${haveStickers ? html`<td>${serialNumber ?? ''}</td>` : ''}
        <td class="number">${counts.get(id) ?? 0}</td>
        <td class="links">
          <a href="${path(`/code/${id}/labels`)}"
            >${texts.labels}${unseen(` ${description ?? id}`)}</a
          >
        </td>
      </tr>`,
  )
  return html`<section class="card">
    <div class="head">
      <h2>${texts.codes}</h2>
      ${mayChange ? html`<a class="button" href="${path('/new-code')}">${texts.newCode}</a>` : ''}
    </div>
    ${
      all.length === 0
        ? quiet(texts.codesNone)
        : html`<p class="quiet small">${texts.codesWhat}</p>
            ${scrolling(texts.codes, headedTable('grid', heads, rows))}`
    }
  </section>`
}

const countsOf = ({ scanCounts }: PointNeeds, merchant: string, at: Instant): Counts => {
  const found = scanCounts.ofCodes(merchant, at - daysOfScans * dayMs, at + dayMs)
  return new Map(found.map(({ shortlink, count }) => [shortlink, count]))
}

export const doneText = (texts: Catalogue['points'], done: string | null): string | undefined =>
  done === 'made' || done === 'changed' || done === 'removed' ? texts[`done_${done}`] : undefined

/** The points of sale of a merchant, and its codes. */
export const pointListRoute = (needs: PointNeeds, { page }: PortalPages): Route =>
  page(
    {
      path: '/portal/:merchant/points-of-sale',
      summary: 'The points of sale and codes of a merchant',
      action: 'see_points_of_sale',
      area: 'pointsOfSale',
    },
    async (visitor, call) => {
      await needs.caughtUp()
      const texts = textsIn[visitor.language].points
      const { merchant } = visitor.shop
      const listed = <Data>(rows: readonly { readonly data: Data }[]) =>
        rows.map(({ data }) => data)
      const newest = Number.MAX_SAFE_INTEGER
      const all = listed(needs.pointsOfSale.list(merchant, newest, mostShown))
      const codes = listed(needs.shortlinks.list(merchant, newest, mostShown))
      return {
        title: texts.pos,
        body: html`<div class="head"><h1>${texts.pos}</h1></div>
          ${doneHtml(doneText(texts, searchOf(call).get('done')))}
          <div class="columns">
            ${posHtml(visitor, texts, all.toReversed())}
            ${codesHtml(visitor, texts, codes, countsOf(needs, merchant, call.at))}
          </div>`,
      }
    },
  )
