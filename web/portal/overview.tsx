import { Card, type Html, Title } from '../ui/components.tsx'
import { z } from 'zod'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { changesReply, restMs, type Watch } from '../ui/event-stream.ts'
import { anyText, plainForm } from '../ui/fields.tsx'
import type { Visits } from '../payer/session.tsx'
import type { Route } from '../../http/route.ts'
import { portalPath } from './areas.ts'
import type { PortalNeeds } from './guard.ts'
import { noticesHtml, type NoticeNeeds } from './messages.tsx'
import { namesOfPos } from './payments/query.ts'
import { firstStepsHtml, hideSteps, type StepNeeds } from './first-steps.tsx'
import {
  columnsTable,
  expiringHtml,
  posTable,
  panelsHtml,
  type PanelNeeds,
  tilesHtml,
} from './overview-panels.tsx'
import { countsChart, turnoverChart, type OverviewView } from './overview-charts.tsx'
import {
  chosenPeriod,
  currencyTabs,
  overviewQuery,
  periodHtml,
  stepOf,
} from './overview-period.tsx'
import { isNothing, numbersFor, type TurnoverNeeds } from './overview-numbers.ts'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { portalPages } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

type OverviewNeeds = PortalNeeds &
  TurnoverNeeds &
  PanelNeeds &
  NoticeNeeds &
  StepNeeds & {
    /** The position of the newest event of a merchant that this process has folded. */
    readonly newestOf: (merchant: string) => number
    readonly watchMerchant: Watch
  }

/** What stands below the chart of the turnover, if there is any. */
const numbersHtml = (view: OverviewView): Html => {
  const { numbers, visitor, chosen } = view
  const texts = textsIn[visitor.language].overview
  return [
    countsChart(view),
    <Card title={`${texts.byPos}, ${numbers.currency}`}>{posTable(view)}</Card>,
    <details class="card fold" id={`columns-${numbers.currency}`}>
      <summary>
        <h2>{texts.by({ step: stepOf(chosen.period) })}</h2>
      </summary>
      <p class="quiet small">
        {texts.numbers({ currency: numbers.currency })}{' '}
        {mayDo(visitor.me.terms, 'see_money') && `${texts.feesOf} ${texts.feesRest}`}
      </p>
      {columnsTable(view)}
    </details>,
  ]
}

const noticesListed = 3

const overviewPage = async (
  needs: OverviewNeeds,
  visitor: PortalVisitor,
  call: Call,
): Promise<PortalPage> => {
  const { merchant, timeZone } = visitor.shop
  // Before the numbers are read: what comes meanwhile is told of at once.
  const newest = needs.newestOf(merchant)
  const names = namesOfPos(needs, merchant)
  const posName = (id: string): string => names.get(id) ?? id
  const chosen = chosenPeriod(searchOf(call), timeZone, call.at)
  const all = await numbersFor(needs, visitor, chosen.period, call.at)
  const numbers = all.find(({ currency }) => currency === chosen.currency) ?? all[0]
  const view = { visitor, numbers, chosen, posName }
  const currencies = all.map(({ currency }) => currency)
  const title = textsIn[visitor.language].portal.overview
  // Captures have their turn between the parts.
  await nextTurn()
  const tiles = tilesHtml(view)
  const notices = await noticesHtml(needs, visitor, call.at, noticesListed)
  await nextTurn()
  const texts = textsIn[visitor.language].overview
  const isQuiet = isNothing(numbers.total) && isNothing(numbers.before)
  const chart = isQuiet ? <p class="card quiet">{texts.quiet}</p> : turnoverChart(view)
  await nextTurn()
  const below = isQuiet ? null : numbersHtml(view)
  await nextTurn()
  return {
    title,
    follow: portalPath(merchant, `events?after=${newest}`),
    body: [
      <Title text={title}>{periodHtml(chosen, visitor)}</Title>,
      <div data-part="overview">
        {currencyTabs(chosen, visitor, currencies, numbers.currency)}
        {tiles}
        {await firstStepsHtml(needs, visitor, call)}
        <div class="board">
          <section aria-label={numbers.currency}>{chart}</section>
          <div class="panels">
            {notices !== null && <Card title={texts.needsYou}>{notices}</Card>}
            {await panelsHtml(needs, visitor)}
          </div>
          <div>
            {below} {expiringHtml(needs, visitor, call.at, posName)}
          </div>
        </div>
      </div>,
    ],
  }
}

/** What happens today, and what needs somebody. */
export const overviewRoutes = (needs: OverviewNeeds, visits: Visits): Route[] => {
  const { page, form, followerOf } = portalPages(needs, visits)
  const place = { action: 'see_overview', area: 'overview' } as const
  return [
    page(
      {
        ...place,
        path: '/portal/:merchant/',
        summary: 'The overview of a merchant',
        ownQuery: overviewQuery,
      },
      (visitor, call) => overviewPage(needs, visitor, call),
    ),
    form(
      {
        ...place,
        path: '/portal/:merchant/',
        summary: 'Hide the first steps',
        ownForm: plainForm,
      },
      async (visitor, call) => hideSteps(needs, visits, visitor, call as Call),
    ),
    page(
      {
        ...place,
        path: '/portal/:merchant/events',
        summary: 'Server-sent events: `changed` once something of the merchant has changed',
        ownQuery: z.object({
          after: anyText('What the page knows of.'),
        }),
        replyTypes: ['text/event-stream', 'text/html'],
        errors: { 503: 'Too many pages are open.' },
      },
      async (visitor, call) => {
        const { merchant } = visitor.shop
        const after = Number(searchOf(call).get('after') ?? 0)
        const hasChanged = async () => needs.newestOf(merchant) > after
        const watched = { stream: merchant, ...followerOf(visitor, call), rest: restMs }
        return changesReply(needs.watchMerchant, watched, hasChanged, needs.isSecure)
      },
    ),
  ]
}
