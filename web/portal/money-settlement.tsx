import { scaleLinear } from 'd3-scale'
import { Card, MoreLink, Scroll, Table, type Fact, type Html } from '../ui/components.tsx'
import type { PayoutState } from '../../domain/accounting/payout-state.ts'
import type { Payout, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import { refuse } from '../../domain/refusal.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { shopTime } from '../ui/money.tsx'
import { filled } from '../ui/words.tsx'
import { portalPath } from './areas.ts'
import { downloadsHtml } from './money-files.tsx'
import type { MoneyNeeds } from './money-needs.ts'
import {
  crumbsHtml,
  dayText,
  factsHtml,
  moneyPath,
  settlementHref,
  sumRow,
  sumText,
} from './money-parts.tsx'
import { debtAfter, payoutParts, stepsOf, turnoverOf, type Step } from './money-report.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import {
  returnText,
  standingOf,
  statusHtml,
  wayHtml,
  whenText,
  whyHtml,
} from './payout-standing.tsx'
import { textsIn } from '../../texts/catalogue.ts'

type MadeRow = SettlementRow & { readonly made: SettlementMade }

const mostCorrections = 100

/** @throws Refusal resource_is_unknown for all but settlements of this merchant that are made */
export const madeSettlement = (
  { settlements }: MoneyNeeds,
  { shop }: PortalVisitor,
  serial: string,
): MadeRow => {
  const row = settlements.find(shop.merchant, Number(serial))
  if (!row?.made) return refuse('resource_is_unknown')
  return { ...row, made: row.made }
}

/** How one sum becomes another: a bar begins where the last one ended, that of a total at zero. */
const stepsTable = (steps: readonly Step[], visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  let at = 0
  const spans = steps.map(({ value, kind }) => {
    const from = kind === 'total' ? 0 : at
    at = from + value
    return [Math.min(from, at), Math.max(from, at)] as const
  })
  const [low, high] = [Math.min(0, ...spans.flat()), Math.max(1, ...spans.flat())]
  const x = scaleLinear().domain([low, high]).range([0, 100])
  const rows = steps.map(({ name, text, kind, value }, index) => {
    const [from, to] = spans[index] ?? [0, 0]
    const about = kind === 'total' ? kind : value < 0 ? 'minus' : 'plus'
    const width = Math.max(x(to) - x(from), 0.4).toFixed(2)
    const bar = (
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class={about} x={x(from).toFixed(2)} width={width} height="10" />
      </svg>
    )
    return sumRow([name, bar], text, kind === 'total')
  })
  return (
    <Table kind="grid steps" heads={[texts.description, { number: texts.amount }]} rows={rows} />
  )
}

const payoutFacts = (state: PayoutState, row: MadeRow, visitor: PortalVisitor): readonly Fact[] => {
  const texts = textsIn[visitor.language].money
  const order = state.orders.at(-1)
  const holidays = row.made.holidays?.map((day) => dayText(day, visitor)).join(', ')
  const facts: Fact[] = [[texts.arrivesLabel, dayText(state.day, visitor)]]
  if (order)
    facts.push(
      [texts.payoutAccount, order.payoutAccount],
      [texts.endToEnd, <code>{order.endToEndId}</code>],
      [texts.messageId, <code>{order.messageId}</code>],
    )
  if (state.returned) facts.push([texts.returnReason, returnText(row, state, visitor)])
  if (holidays !== undefined) facts.push([texts.holidays, holidays])
  return facts
}

/** Of a settlement that pays nothing. */
const carriedText = ({ currency, ...payout }: Payout, visitor: PortalVisitor): string => {
  const sum = debtAfter(payout)
  const texts = textsIn[visitor.language].money
  return sum === '0' ? '' : texts.carriedOver({ sum: sumText(sum, currency, visitor) })
}

const currencyHtml = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: MadeRow,
  payout: Payout,
): Html => {
  const texts = textsIn[visitor.language].money
  const { currency } = payout
  const state = row.payouts.find((one) => one.currency === currency)
  const standing = state ? standingOf(needs, visitor, state) : null
  const parts = payoutParts(turnoverOf(needs, row, currency), row.made.totals, payout, texts)
  const steps = stepsOf(parts, currency, visitor)
  return (
    <section aria-label={currency}>
      <div class="card lead">
        <div class="lead-sum">
          <p class="figure">{sumText(payout.payout, currency, visitor)}</p>
          {statusHtml(standing, visitor)}
          {state && standing ? <p class="quiet">{whenText(standing, state, visitor)}</p> : null}
        </div>
        {state && standing ? (
          whyHtml(needs, standing, visitor)
        ) : (
          <p class="quiet">{carriedText(payout, visitor)}</p>
        )}
      </div>
      <div class="columns">
        <Card title={texts.waterfall}>
          <p class="quiet small">{texts.waterfallWhat({ currency })}</p>
          <p class="quiet small">
            {filled(texts.takes, { time: shopTime(row.startedAt, visitor) })}{' '}
            <a href={moneyPath(visitor, 'terms')}>{texts.feesAll}</a>
          </p>
          <Scroll label={texts.waterfall}>{stepsTable(steps, visitor)}</Scroll>
        </Card>
        {state && standing ? (
          <Card title={texts.payout}>
            {factsHtml(payoutFacts(state, row, visitor))}
            {wayHtml(dateIn(visitor.shop.timeZone, row.startedAt), state, standing, visitor)}
          </Card>
        ) : null}
      </div>
    </section>
  )
}

/** What the operator corrected, of what this settlement took. */
const correctionsHtml = (needs: MoneyNeeds, visitor: PortalVisitor, row: MadeRow): Html => {
  const { merchant, serial, startedPosition } = row
  const after = needs.settlements.find(merchant, serial - 1)?.startedPosition ?? 0
  const found = needs.corrections
    .approved(merchant, after, startedPosition, mostCorrections)
    .filter(({ correction }) => !correction.invoice)
  if (found.length === 0) return null
  const texts = textsIn[visitor.language].money
  const rows = found.map(({ at, correction: { amount, currency, reason, isWriteOff } }) => [
    { head: shopTime(at, visitor) },
    { number: sumText(String(amount), currency, visitor) },
    [isWriteOff && [texts.writtenOff, ' '], <q>{reason}</q>],
  ])
  const heads = [
    textsIn[visitor.language].payments.when,
    { number: texts.amount },
    texts.description,
  ]
  return (
    <Card title={texts.corrections}>
      <Table label={texts.corrections} kind="grid" heads={heads} rows={rows} />
    </Card>
  )
}

/** One settlement: how its payout comes about, and where the money is. */
export const settlementPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  serial: string,
): PortalPage => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  const follow = portalPath(merchant, `events?after=${needs.newestOf(merchant)}`)
  const row = madeSettlement(needs, visitor, serial)
  const { made, settlementId, payouts } = row
  const isOver = payouts.every(({ status }) => status === 'paid')
  const settled = dateIn(visitor.shop.timeZone, row.startedAt)
  const title = texts.payoutFor({ day: dayText(settled, visitor) })
  const logs = { transactions: made.transactionLogs.length, scopes: made.scopeLogs.length }
  return {
    title,
    ...(!isOver && { follow }),
    body: [
      crumbsHtml(visitor),
      <div class="head">
        <div>
          <h1>{title}</h1>
          <p class="quiet small">
            {texts.settlement} <code>{settlementId}</code>
          </p>
        </div>
        {downloadsHtml(visitor, settlementHref(visitor, row.serial), logs)}
      </div>,
      <div data-part="payouts">
        {made.payouts.map((payout) => currencyHtml(needs, visitor, row, payout))}
      </div>,
      <MoreLink href={moneyPath(visitor, `payouts/${row.serial}`)} text={texts.payoutPayments} />,
      correctionsHtml(needs, visitor, row),
    ],
  }
}
