import { Card, Facts, Link, Quiet, type Html, Title } from '../ui/components.tsx'
import type { FundingWork } from '../../application/funding-book.ts'
import { formatAmount, type Sum } from '../../domain/money/money.ts'
import { operatorMayDo, type OperatorAction } from '../../domain/people/operator-roles.ts'
import type { Instant } from '../../domain/time.ts'
import type { CallbackDestinationRow } from '../../projections/callback-destinations.ts'
import { moneyText, utcTime } from '../ui/money.tsx'
import type { Visits } from '../payer/session.tsx'
import { filled } from '../ui/words.tsx'
import type { Route } from '../../http/route.ts'
import { operatorPath } from './areas.ts'
import { merchantPath, type MerchantListNeeds } from './merchants.tsx'
import { operatorPages, type OperatorVisitor } from './pages.tsx'
import type { HealthNeeds } from './watch/health.tsx'
import { textsIn } from '../../texts/catalogue.ts'

type Waiting = { readonly currency: string; readonly count: number; readonly sum: Sum }

type OperatorOverviewNeeds = MerchantListNeeds &
  Pick<HealthNeeds, 'health' | 'lastAudit'> & {
    readonly merchantCounts: () => Readonly<Record<'all' | 'waiting' | 'disabled', number>>
    readonly waitingPayouts: (status: 'due' | 'returned') => readonly Waiting[]
    /** Entries of the bank: money that left the account without being one payout once. */
    readonly unexplainedDebits: () => number
    readonly fundingWork: () => Promise<FundingWork>
    /** Of all merchants. */
    readonly restedAddresses: () => readonly CallbackDestinationRow[]
    readonly workInProgress: () => Readonly<Record<'callbacks' | 'settlements' | 'reports', number>>
  }

const mostListed = 8

const rowHtml = (merchant: string, name: string, about: Html): Html => (
  <li>
    <a class="row forth" href={merchantPath(merchant)}>
      <span>
        <span class="name">{name}</span> <span class="quiet small">{about}</span>
      </span>
    </a>
  </li>
)

const waitingHtml = (
  needs: OperatorOverviewNeeds,
  { language }: OperatorVisitor,
): Html | undefined => {
  const texts = textsIn[language].operatorOverview
  const of = { state: 'waiting', part: '' } as const
  const found = needs.listMerchants(of, Number.MAX_SAFE_INTEGER, mostListed)
  if (found.length === 0) return undefined
  const rest = needs.merchantCounts().waiting - found.length
  const all = operatorPath('merchants?state=waiting')
  return [
    <ul class="list">
      {found.map(({ merchant, name, organizationId }) =>
        rowHtml(
          merchant,
          name,
          organizationId === null ? merchant : `${merchant} · ${organizationId}`,
        ),
      )}
    </ul>,
    rest > 0 && <Link class="lone" href={all} text={texts.more({ count: rest })} />,
  ]
}

const addressesHtml = (
  { restedAddresses }: OperatorOverviewNeeds,
  { language, locale }: OperatorVisitor,
): Html | undefined => {
  const texts = textsIn[language].operatorOverview
  const found = restedAddresses()
  if (found.length === 0) return undefined
  const rest = found.length - mostListed
  const since = (at: Instant | null) =>
    at === null ? '' : filled(texts.restedSince, { time: utcTime(at, locale) })
  return [
    <ul class="list">
      {found
        .slice(0, mostListed)
        .map(({ merchant, destination, problem, restedAt }) =>
          rowHtml(merchant, destination, [merchant, ' · ', problem ?? '', ' · ', since(restedAt)]),
        )}
    </ul>,
    rest > 0 && <Quiet text={texts.more({ count: rest })} />,
  ]
}

const healthHtml = async (
  { health, lastAudit, workInProgress }: OperatorOverviewNeeds,
  { language, locale }: OperatorVisitor,
): Promise<Html> => {
  const texts = textsIn[language].operatorOverview
  const { ready, messageAlarms } = await health()
  const { isReady, behind } = ready
  const last = lastAudit()
  const { callbacks, settlements, reports } = workInProgress()
  const count = new Intl.NumberFormat(locale)
  const state = isReady ? (
    <span class="badge good">{texts.ready}</span>
  ) : (
    <span class="badge bad">{texts.notReady}</span>
  )
  const failed = <span class="badge bad">{texts.auditFailed}</span>
  const audited = last ? utcTime(last.at, locale) : texts.auditNever
  return (
    <Facts
      kind="money-facts"
      of={[
        [texts.service, state],
        ...messageAlarms.map(
          ({ which }) => [texts.messageLimit, <span class="badge bad">{which}</span>] as const,
        ),
        [texts.behind, count.format(behind)],
        [texts.callbacks, count.format(callbacks)],
        [texts.settlements, count.format(settlements)],
        [texts.reports, count.format(reports)],
        [texts.audit, last && !last.holds ? failed : audited],
      ]}
    />
  )
}

const tile = (name: string, figure: Html, about: Html, kind = ''): Html => (
  <div class={`card tile ${kind}`}>
    <dt>{name}</dt>
    <dd class="figure">{figure}</dd>
    <dd class="quiet small">{about}</dd>
  </div>
)

const payoutTile = (
  name: string,
  found: readonly Waiting[],
  { language, locale }: OperatorVisitor,
): Html => {
  const texts = textsIn[language].operatorOverview
  if (found.length === 0) return tile(name, '0', texts.payoutsNone)
  const sums = found.map(({ currency, sum }, index) => [
    index > 0 && <br />,
    <span class="sum">{moneyText(formatAmount(sum, currency), currency, locale)}</span>,
  ])
  const all = found.reduce((sum, one) => sum + one.count, 0)
  const figure = <a href={operatorPath('payouts')}>{sums}</a>
  return tile(name, figure, texts.payoutsCount({ count: all }), 'broad')
}

const tilesHtml = async (needs: OperatorOverviewNeeds, visitor: OperatorVisitor): Promise<Html> => {
  const { language, locale, me } = visitor
  const texts = textsIn[language].operatorOverview
  const count = new Intl.NumberFormat(locale)
  const merchants = () => {
    const { all, waiting, disabled } = needs.merchantCounts()
    const link = (state: string, number: number) => (
      <a href={operatorPath(`merchants${state}`)}>{count.format(number)}</a>
    )
    const about = texts.disabled({ count: count.format(disabled) })
    const fresh = link('?state=waiting', waiting)
    return [
      tile(texts.waitingMerchants, fresh, texts.waitingBelow),
      tile(texts.merchants, link('', all), about),
    ]
  }
  const returned = () => {
    const found = needs.waitingPayouts('returned')
    return found.length === 0 ? '' : payoutTile(texts.returned, found, visitor)
  }
  const unexplained = () => {
    const found = needs.unexplainedDebits()
    if (found === 0) return ''
    const link = <a href={operatorPath('payouts/bank')}>{count.format(found)}</a>
    return tile(texts.unexplained, link, texts.unexplainedWhat)
  }
  const funding = async () => {
    const found = (await needs.fundingWork()).book.differences().length
    if (found === 0) return ''
    const link = <a href={operatorPath('funding')}>{count.format(found)}</a>
    return tile(texts.funding, link, texts.fundingWhat)
  }
  return (
    <dl class="tiles">
      {operatorMayDo(me.terms, 'see_merchants') ? merchants() : ''}
      {operatorMayDo(me.terms, 'see_payouts')
        ? [
            payoutTile(texts.payouts, needs.waitingPayouts('due'), visitor),
            returned(),
            unexplained(),
            await funding(),
          ]
        : null}
    </dl>
  )
}

const merchantPanels = (needs: OperatorOverviewNeeds, visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].operatorOverview
  const waiting = waitingHtml(needs, visitor)
  const addresses = addressesHtml(needs, visitor)
  return (
    <div>
      {waiting && <Card title={texts.waiting}>{waiting}</Card>}
      {addresses && <Card title={texts.addresses}>{addresses}</Card>}
      {!waiting && <Quiet text={texts.merchantsNone} />}
      {!addresses && <Quiet text={texts.addressesNone} />}
    </div>
  )
}

/** What waits, and how the service is; each role sees its own. */
export const operatorOverviewRoutes = (needs: OperatorOverviewNeeds, visits: Visits): Route[] => {
  const { page } = operatorPages(needs, visits)
  return [
    page(
      {
        path: '/operator/',
        summary: 'What waits for the operator',
        action: 'see_overview',
        area: 'overview',
      },
      async (visitor) => {
        const texts = textsIn[visitor.language].operatorOverview
        const may = (action: OperatorAction) => operatorMayDo(visitor.me.terms, action)
        return {
          title: texts.overview,
          body: [
            <Title text={texts.overview} />,
            await tilesHtml(needs, visitor),
            <div class="columns">
              {may('see_merchants') && merchantPanels(needs, visitor)}
              {may('see_health') && (
                <Card title={texts.health}>{await healthHtml(needs, visitor)}</Card>
              )}
            </div>,
          ],
        }
      },
    ),
  ]
}
