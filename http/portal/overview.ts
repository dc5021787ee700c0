import { html } from 'hono/html'
import { z } from 'zod'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { searchOf, type Call } from '../call.ts'
import { changesReply, type Watch } from '../event-stream.ts'
import { shownAmount } from '../payer/money.ts'
import type { Html } from '../payer/page.ts'
import type { Visits } from '../payer/session.ts'
import { filledText } from '../payer/words.ts'
import type { Route } from '../route.ts'
import { portalPath } from './areas.ts'
import type { PortalNeeds } from './guard.ts'
import { chartsHtml, daysTable, posTable, type Shown } from './overview-charts.ts'
import { isNothing, numbersFor, type TurnoverNeeds } from './overview-numbers.ts'
import { panelsHtml, type PanelNeeds } from './overview-panels.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { portalPages, shopParams } from './pages.ts'
import { frameTexts } from './texts.ts'
import { overviewTexts } from './texts-overview.ts'

export type OverviewNeeds = PortalNeeds &
  TurnoverNeeds &
  PanelNeeds & {
    readonly timeZoneOf: (merchant: string) => string
    readonly posOf: (merchant: string) => readonly { readonly id: string; readonly name: string }[]
    /** The position of the newest event of a merchant that this process has folded. */
    readonly newestOf: (merchant: string) => number
    readonly watchMerchant: Watch
  }

type Tile = {
  readonly name: string
  readonly today: string
  readonly total: string
  readonly before: string
}

const tilesOf = ({ visitor, numbers }: Shown): readonly Tile[] => {
  const { language, locale, me } = visitor
  const texts = overviewTexts[language]
  const { today, total, before, currency } = numbers
  const amount = (minor: number) => shownAmount(minor, currency, locale)
  const count = new Intl.NumberFormat(locale)
  const tile = (name: string, member: 'captured' | 'refunded' | 'fees'): Tile => ({
    name,
    today: amount(today[member]),
    total: amount(total[member]),
    before: amount(before[member]),
  })
  return [
    tile(texts.turnover, 'captured'),
    {
      name: texts.payments,
      today: count.format(today.payments),
      total: count.format(total.payments),
      before: count.format(before.payments),
    },
    tile(texts.refunds, 'refunded'),
    ...(mayDo(me.terms, 'see_money') ? [tile(texts.fees, 'fees')] : []),
  ]
}

const tilesHtml = (shown: Shown): Html => {
  const texts = overviewTexts[shown.visitor.language]
  return html`<dl class="tiles">
    ${tilesOf(shown).map(
      ({ name, today, total, before }) =>
        html`<div class="card tile">
          <dt>${name}</dt>
          <dd class="figure">${today} <span class="quiet small">${texts.today}</span></dd>
          <dd>${total} <span class="quiet small">${texts.last30}</span></dd>
          <dd class="quiet small">${filledText(texts.before, before)}</dd>
        </div>`,
    )}
  </dl>`
}

const numbersHtml = (shown: Shown, isAlone: boolean): Html => {
  const { numbers, visitor, timeZone } = shown
  const texts = overviewTexts[visitor.language]
  return html`<section aria-label="${numbers.currency}">
    ${isAlone ? '' : html`<h2>${numbers.currency}</h2>`} ${tilesHtml(shown)}
    ${
      isNothing(numbers.total)
        ? html`<p class="card quiet">${texts.quiet}</p>`
        : html`<div class="columns">
            ${chartsHtml(shown)}
            <section class="card">
              <h2>${texts.byPos}</h2>
              ${posTable(shown)}
            </section>
            <section class="card">
              <h2>${texts.byDay}</h2>
              <p class="quiet small">${texts.numbers}. ${filledText(texts.utc, timeZone)}</p>
              ${daysTable(shown)}
            </section>
          </div>`
    }
  </section>`
}

const overviewPage = async (
  needs: OverviewNeeds,
  visitor: PortalVisitor,
  call: Call,
): Promise<PortalPage> => {
  const { merchant } = visitor.shop
  // Before the numbers are read: what comes meanwhile is told of at once.
  const newest = needs.newestOf(merchant)
  const timeZone = needs.timeZoneOf(merchant)
  const names = new Map(needs.posOf(merchant).map(({ id, name }) => [id, name]))
  const posName = (id: string): string => names.get(id) ?? id
  const all = numbersFor(needs, visitor, call.at)
  const shown = all.map((numbers) => ({ visitor, numbers, timeZone, posName }))
  const title = frameTexts[visitor.language].overview
  return {
    title,
    follow: portalPath(merchant, `events?after=${newest}`),
    body: html`<div class="head"><h1>${title}</h1></div>
      <div data-part="overview">
        ${shown.map((one) => numbersHtml(one, shown.length === 1))}
        ${await panelsHtml(needs, visitor, call.at)}
      </div>`,
  }
}

/** What happens today, and what needs somebody. */
export const overviewRoutes = (needs: OverviewNeeds, visits: Visits): Route[] => {
  const { page } = portalPages(needs, visits)
  const place = { params: shopParams, action: 'see_overview', area: 'overview' } as const
  return [
    page(
      { ...place, path: '/portal/:merchant/', summary: 'The overview of a merchant' },
      (visitor, call) => overviewPage(needs, visitor, call),
    ),
    page(
      {
        ...place,
        path: '/portal/:merchant/events',
        summary: 'Server-sent events: `changed` once something of the merchant has changed',
        ownQuery: z.object({
          after: z.string().optional().meta({ description: 'What the page knows of.' }),
        }),
        replyTypes: ['text/event-stream'],
        errors: { 503: 'Too many pages are open.' },
      },
      async ({ shop: { merchant } }, call) => {
        const after = Number(searchOf(call).get('after') ?? 0)
        const from = call.request.remoteAddress ?? ''
        const hasChanged = async () => needs.newestOf(merchant) > after
        const watched = { stream: merchant, from }
        return changesReply(needs.watchMerchant, watched, hasChanged, needs.isSecure)
      },
    ),
  ]
}
