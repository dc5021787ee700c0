import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { dayMs, type Instant } from '../../../domain/time.ts'
import { searchOf } from '../../call.ts'
import type { Html } from '../../payer/page.ts'
import { unseen } from '../../payer/words.ts'
import type { Route } from '../../route.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.ts'
import { shopParams, type PortalPages } from '../pages.ts'
import { scrolling } from '../parts.ts'
import { mostShown, pointsPath, type CodeData, type PointNeeds, type PosData } from './rows.ts'
import { pointTexts, type PointTexts } from './texts.ts'

export const daysOfScans = 14

const posHtml = (visitor: PortalVisitor, texts: PointTexts, all: readonly PosData[]): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const keys = portalPath(visitor.shop.merchant, 'developers')
  return html`<section class="card">
    <div class="head">
      <h2>${texts.pos}</h2>
      ${mayChange ? html`<a class="button" href="${path('/new')}">${texts.newPos}</a>` : ''}
    </div>
    ${
      all.length === 0
        ? html`<p class="quiet">${texts.posNone}</p>`
        : scrolling(
            texts.pos,
            html`<table class="grid">
              <thead>
                <tr>
                  <th scope="col">${texts.name}</th>
                  <th scope="col">${texts.id}</th>
                  <th scope="col">${texts.type}</th>
                </tr>
              </thead>
              <tbody>
                ${all.map(
                  ({ id, name, type }) =>
                    html`<tr>
                      <td>
                        ${
                          mayChange
                            ? html`<a href="${path(`/pos/${encodeURIComponent(id)}`)}">${name}</a>`
                            : name
                        }
                      </td>
                      <td><code>${id}</code></td>
                      <td>${texts[`type_${type}`]}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`,
          )
    }
    ${
      mayDo(visitor.me.terms, 'see_developers')
        ? html`<p><a class="lone" href="${keys}">${texts.keys}</a></p>`
        : ''
    }
  </section>`
}

type Counts = ReadonlyMap<string, number>

const codesHtml = (
  visitor: PortalVisitor,
  texts: PointTexts,
  all: readonly CodeData[],
  counts: Counts,
): Html => {
  const mayChange = mayDo(visitor.me.terms, 'change_points_of_sale')
  const path = (more: string) => portalPath(visitor.shop.merchant, pointsPath(more))
  const haveStickers = all.some(({ serialNumber }) => serialNumber !== null)
  return html`<section class="card">
    <div class="head">
      <h2>${texts.codes}</h2>
      ${mayChange ? html`<a class="button" href="${path('/new-code')}">${texts.newCode}</a>` : ''}
    </div>
    ${
      all.length === 0
        ? html`<p class="quiet">${texts.codesNone}</p>`
        : html`<p class="quiet small">${texts.codesWhat}</p>
            ${scrolling(
              texts.codes,
              html`<table class="grid">
                <thead>
                  <tr>
                    <th scope="col">${texts.code}</th>
                    ${haveStickers ? html`<th scope="col">${texts.sticker}</th>` : ''}
                    <th scope="col" class="number">${texts.scansIn}</th>
                    <th scope="col"><span class="unseen">${texts.labels}</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${all.map(
                    ({ id, description, serialNumber }) =>
                      html`<tr>
                        <td>
                          <a href="${path(`/code/${id}`)}">${description ?? id}</a>
                        </td>
                        ${haveStickers ? html`<td>${serialNumber ?? ''}</td>` : ''}
                        <td class="number">${counts.get(id) ?? 0}</td>
                        <td class="links">
                          <a href="${path(`/code/${id}/labels`)}"
                            >${texts.labels}${unseen(` ${description ?? id}`)}</a
                          >
                        </td>
                      </tr>`,
                  )}
                </tbody>
              </table>`,
            )}`
    }
  </section>`
}

const countsOf = ({ scanCounts }: PointNeeds, merchant: string, at: Instant): Counts => {
  const found = scanCounts.ofCodes(merchant, at - daysOfScans * dayMs, at + dayMs)
  return new Map(found.map(({ shortlink, count }) => [shortlink, count]))
}

export const doneHtml = (texts: PointTexts, done: string | null): Html | '' =>
  done === 'made' || done === 'changed' || done === 'removed'
    ? html`<p class="state good" role="status">${texts[`done_${done}`]}</p>`
    : ''

/** The points of sale of a merchant, and its codes. */
export const pointListRoute = (needs: PointNeeds, { page }: PortalPages): Route =>
  page(
    {
      path: '/portal/:merchant/points-of-sale',
      summary: 'The points of sale and codes of a merchant',
      params: shopParams,
      action: 'see_points_of_sale',
      area: 'pointsOfSale',
    },
    async (visitor, call) => {
      await needs.caughtUp()
      const texts = pointTexts[visitor.language]
      const { merchant } = visitor.shop
      const listed = <Data>(rows: readonly { readonly data: Data }[]) =>
        rows.map(({ data }) => data)
      const newest = Number.MAX_SAFE_INTEGER
      const all = listed(needs.pointsOfSale.list(merchant, newest, mostShown))
      const codes = listed(needs.shortlinks.list(merchant, newest, mostShown))
      return {
        title: texts.pos,
        body: html`<div class="head"><h1>${texts.pos}</h1></div>
          ${doneHtml(texts, searchOf(call).get('done'))}
          <div class="columns">
            ${posHtml(visitor, texts, all.toReversed())}
            ${codesHtml(visitor, texts, codes, countsOf(needs, merchant, call.at))}
          </div>`,
      }
    },
  )
