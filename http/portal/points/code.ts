import { html } from 'hono/html'
import { z } from 'zod'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import { dateIn } from '../../../domain/time-zone.ts'
import { searchOf, type Call } from '../../call.ts'
import type { Html } from '../../payer/page.ts'
import { filledText } from '../../payer/words.ts'
import type { Route } from '../../route.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import type { PortalPages } from '../pages.ts'
import { codeParams } from './code-changes.ts'
import { daysOfScans, doneHtml } from './list.ts'
import { addressOfCode, codeOf, pointsPath, type CodeData, type PointNeeds } from './rows.ts'
import { pointTexts, type PointTexts } from './texts.ts'

export type CodeNeeds = PointNeeds & {
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
  readonly dayStarts: (timeZone: string, at: Instant, days: number) => readonly Instant[]
  /** The newest event of a merchant that this process knows of. */
  readonly newestOf: (merchant: string) => number
}

type Day = { readonly day: string; readonly count: number }

const daysOf = (
  needs: CodeNeeds,
  { shop }: PortalVisitor,
  { id }: CodeData,
  at: Instant,
): readonly Day[] => {
  const starts = needs.dayStarts(shop.timeZone, at, daysOfScans)
  const counts = needs.scanCounts.since(id, starts[0] ?? at)
  return starts.slice(0, -1).map((start, index) => {
    const end = starts[index + 1] ?? Infinity
    const inDay = counts.filter(({ since }) => since >= start && since < end)
    const count = inDay.reduce((sum, { count }) => sum + count, 0)
    return { day: dateIn(shop.timeZone, start), count }
  })
}

const barWidth = 22
const barHeight = 90

/** A bar for each day; the same numbers stand in the table below. */
const barsHtml = (days: readonly Day[], says: string): Html => {
  const most = Math.max(1, ...days.map(({ count }) => count))
  const width = days.length * (barWidth + 6)
  return html`<svg
    class="scans"
    viewBox="0 0 ${width} ${barHeight}"
    role="img"
    aria-label="${says}"
  >
    ${days.map(({ count }, index) => {
      const height = Math.max(2, (count / most) * barHeight)
      return html`<rect
        x="${index * (barWidth + 6)}"
        y="${(barHeight - height).toFixed(1)}"
        width="${barWidth}"
        height="${height.toFixed(1)}"
        rx="3"
      />`
    })}
  </svg>`
}

const scansHtml = (texts: PointTexts, timeZone: string, days: readonly Day[]): Html => {
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const scanned = days.filter(({ count }) => count > 0).toReversed()
  return html`<section class="card" data-part="scans">
    <h2>${texts.scansIn}: ${total}</h2>
    <p class="quiet small">${filledText(texts.daysAre, timeZone)}</p>
    ${barsHtml(days, `${texts.scansIn}: ${total}`)}
    ${
      scanned.length === 0
        ? ''
        : html`<table class="grid">
            <thead>
              <tr>
                <th scope="col">${texts.day}</th>
                <th scope="col" class="number">${texts.scans}</th>
              </tr>
            </thead>
            <tbody>
              ${scanned.map(
                ({ day, count }) =>
                  html`<tr>
                    <td>${day}</td>
                    <td class="number">${count}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
  </section>`
}

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
    body: html`<a class="back" href="${portalPath(merchant, pointsPath())}">${texts.back}</a>
      ${doneHtml(texts, searchOf(call).get('done'))}
      <div class="head">
        <h1>${title}</h1>
        <div class="buttons">
          <a class="button" href="${path('/poster')}">${texts.printPoster}</a>
          <a class="button second" href="${path('/labels')}">${texts.printLabels}</a>
          ${
            mayChange
              ? html`<a class="button second" href="${path('/change')}">${texts.change}</a>
                  <a class="button second" href="${path('/change?remove')}">${texts.remove}</a>`
              : ''
          }
        </div>
      </div>
      <p class="quiet">${texts.printWhat}</p>
      <div class="columns">
        <section class="card code">
          <h2>${texts.code}</h2>
          <img src="${await needs.qrImage.dataUrl(address)}" alt="${filledText('{}', address)}" />
          <dl class="facts">
            <dt>${texts.address}</dt>
            <dd><code>${address}</code></dd>
            <dt>${texts.callback}</dt>
            <dd>${code.callbackUri ?? '–'}</dd>
            <dt>${texts.serial}</dt>
            <dd>${code.serialNumber ?? '–'}</dd>
          </dl>
        </section>
        ${scansHtml(texts, visitor.shop.timeZone, daysOf(needs, visitor, code, call.at))}
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
      ownQuery: z.object({ done: z.string().optional().meta({ description: 'What was done.' }) }),
    },
    (visitor, call) => codePage(needs, visitor, call),
  )
