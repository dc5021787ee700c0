import { Actions, Card, Done, Form, Link, Table, type Html } from '../ui/components.tsx'
import {
  feeTypes,
  totalGross,
  totalNet,
  type Total,
  type Totals,
} from '../../domain/accounting/totals.ts'
import {
  lineActions,
  permissionActions,
  type LineAction,
} from '../../domain/accounting/transaction-line.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { refuse } from '../../domain/refusal.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import { readReport, type ReportView, countersView } from '../../http/merchant/report-reply.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { shopTime, numberFormat } from '../ui/money.tsx'
import { filled } from '../ui/words.tsx'
import { portalPath } from './areas.ts'
import {
  downloadsHtml,
  openDownloadsHtml,
  type OpenFiles,
  mostWorkbookLines,
} from './money-files.tsx'
import type { MoneyNeeds } from './money-needs.ts'
import {
  crumbsHtml,
  ledgerHref,
  reportHref,
  sumRow,
  sumText,
  taxcodeCountry,
} from './money-parts.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import type { Completion } from '../../domain/accounting/completion.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Payout } from '../../domain/accounting/settlement-events.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export type Part = { readonly name: string; readonly sum: Sum; readonly kind: Step['kind'] }

/** What was captured, refunded, disputed and corrected, of the lines that a settlement took. */
export const turnoverOf = (
  { settledTurnover }: Pick<MoneyNeeds, 'settledTurnover'>,
  { merchant, serial }: SettlementRow,
  currency: string,
): Readonly<Record<'captured' | 'refunded' | 'disputed' | 'corrected', Sum>> => {
  const sumOf = settledTurnover.of(merchant, serial)
  return {
    captured: sumOf(currency, 'capture'),
    refunded: sumOf(currency, 'refund'),
    disputed: sumOf(currency, 'dispute'),
    corrected: sumOf(currency, 'correction'),
  }
}

export const feesIn = (totals: Totals, currency: string, texts: Catalogue['money']): Part[] =>
  feeTypes.map((type) => ({
    name: texts[`fee_${type}`],
    kind: 'change',
    sum: negated(
      addUp(
        ...totals.filter((one) => one.currency === currency).map(({ fees }) => fees[type] ?? 0),
      ),
    ),
  }))

/** What is owed after a settlement, above zero. */
export const debtAfter = (
  payout: Pick<Payout, 'unsettledFeesAfter' | 'unsettledRefundsAfter'>,
): Sum => negated(addUp(payout.unsettledFeesAfter, payout.unsettledRefundsAfter ?? 0))

/** From what was captured to what is paid out; parts that are nothing are left out. */
export const payoutParts = (
  turnover: ReturnType<typeof turnoverOf>,
  totals: Totals,
  payout: Payout,
  texts: Catalogue['money'],
): readonly Part[] => {
  const before = addUp(payout.unsettledFeesBefore, payout.unsettledRefundsBefore ?? 0)
  const changes: Part[] = [
    { name: texts.refunds, sum: turnover.refunded, kind: 'change' },
    { name: texts.disputes, sum: turnover.disputed, kind: 'change' },
    { name: texts.corrections, sum: turnover.corrected, kind: 'change' },
    ...feesIn(totals, payout.currency, texts),
    { name: texts.debtBefore, sum: before, kind: 'change' },
    { name: texts.billed, sum: payout.billed, kind: 'change' },
    { name: texts.carried, sum: debtAfter(payout), kind: 'change' },
  ]
  return [
    { name: texts.turnover, sum: turnover.captured, kind: 'total' },
    ...changes.filter(({ sum }) => sum !== '0'),
    { name: texts.payout, sum: payout.payout, kind: 'total' },
  ]
}

export type Step = {
  readonly name: string
  /** What is added or taken away, or the total. */
  readonly value: number
  readonly kind: 'total' | 'change'
  /** The number as people read it. */
  readonly text: string
}

export const stepsOf = (
  parts: readonly Part[],
  currency: string,
  visitor: PortalVisitor,
): readonly Step[] =>
  parts.map(({ name, sum, kind }) => ({
    name,
    kind,
    value: Number(sum) / 10 ** decimalsOf(currency),
    text: sumText(sum, currency, visitor),
  }))

/** The same numbers for a sheet of a workbook. */
export const rowsOf = (parts: readonly Part[], currency: string, visitor: PortalVisitor) => [
  [textsIn[visitor.language].money.description, currency],
  ...parts.map(({ name, sum }) => [name, Number(sum) / 10 ** decimalsOf(currency)]),
]

/** In the order in which they are shown. */
const counted = [
  ...(['payment_request_count', 'payment_auth_count', 'payment_capture_count'] as const),
  ...(['payment_refund_count', 'payment_release_count', 'payment_expire_count'] as const),
  ...(['payment_fail_count', 'payment_abort_count', 'permission_request_count'] as const),
  ...(['permission_answered_count', 'permission_fail_count'] as const),
]

/** How often each thing has happened in a report. */
const countsHtml = (
  counters: Completion['counters'],
  { language, locale }: PortalVisitor,
): Html => {
  const texts = textsIn[language].money
  const view = countersView(counters)
  const rows = counted
    .filter((name) => view[name] > 0)
    .map((name) => sumRow(texts[`count_${name}`], numberFormat(locale).format(view[name])))
  return (
    <Card title={texts.counts}>
      <Table label={texts.counts} kind="grid steps" rows={rows} />
    </Card>
  )
}

/** @throws Refusal resource_is_unknown for ledgers and reports of others */
export const reportOf = (
  { ledgers, reports }: MoneyNeeds,
  { shop }: PortalVisitor,
  ledger: string,
  report: string,
): { readonly row: LedgerRow; readonly view: ReportView } => {
  const row = ledgers.find(shop.merchant, ledger) ?? refuse('resource_is_unknown')
  const number = Number(report)
  if (number > row.open) return refuse('resource_is_unknown')
  return { row, view: readReport(reports, row, number) }
}

export const reportBadge = (
  { status }: Pick<ReportView, 'status'>,
  { language }: PortalVisitor,
): Html => {
  return <span class="badge">{textsIn[language].money[status]}</span>
}

const totalHtml = (total: Total, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  const { currency, taxcode, fees } = total
  const line = (name: string, sum: string, isTotal = false) =>
    sumRow(name, sumText(sum, currency, visitor), isTotal)
  const taxcodeText = texts.taxcodeOf({
    code: taxcode,
    country: taxcodeCountry(taxcode, visitor.locale),
  })
  const rows = [
    line(texts.turnoverLess, totalGross(total), true),
    ...(total.additionalAmount === '0' ? [] : [line(texts.additional, total.additionalAmount)]),
    ...feeTypes.flatMap((type) => {
      const fee = fees[type]
      return fee === undefined ? [] : [line(texts[`fee_${type}`], negated(fee))]
    }),
    line(texts.net, totalNet(total), true),
  ]
  return (
    <Card title={[currency, ' ', <span class="quiet small">{taxcodeText}</span>]}>
      <Table label={`${currency} ${taxcode}`} kind="grid steps" rows={rows} />
    </Card>
  )
}

/** How many lines of these actions a report has. */
const linesIn = ({ sums }: ReportView, actions: readonly LineAction[]): number =>
  actions.reduce((count, action) => count + (sums.counters[action] ?? 0), 0)

/** Which files an open report has. */
export const openFilesOf = (view: ReportView): OpenFiles => ({
  hasScopes: linesIn(view, permissionActions) > 0,
  isLarge: linesIn(view, lineActions) > mostWorkbookLines,
})

/** The files of a report; of an open one, as far as it is. */
const filesHtml = (visitor: PortalVisitor, view: ReportView): Html => {
  const href = reportHref(visitor, view.ledger, view.number)
  const { transactionLogs = [], scopeLogs = [] } = view.sums
  const logs = { transactions: transactionLogs.length, scopes: scopeLogs.length }
  if (view.status !== 'open') return downloadsHtml(visitor, href, logs)
  return openDownloadsHtml(visitor, href, openFilesOf(view))
}

const closeHtml = (
  visitor: PortalVisitor,
  { ledger, number, status }: ReportView,
  isAsked: boolean,
): Html => {
  const { csrf, language, me } = visitor
  if (status !== 'open' || !mayDo(me.terms, 'close_report')) return null
  const texts = textsIn[language].money
  const href = reportHref(visitor, ledger, number)
  if (!isAsked)
    return <Link class="button" href={`${href}?close`} text={texts.close({ report: number })} />
  return (
    <div class="card narrow-card">
      <h2>{texts.closeAsk({ report: number, ledger })}</h2>
      <p>{texts.closeWhat({ report: number + 1 })}</p>
      <Form action={href} hidden={{ csrf, decision: 'close' }}>
        <Actions button={texts.close({ report: number })} />
      </Form>
    </div>
  )
}

const agesHtml = ({ openedAt, closedAt }: ReportView, visitor: PortalVisitor) => {
  const texts = textsIn[visitor.language].money
  const opened = filled(texts.openedAt, { time: shopTime(openedAt, visitor) })
  return closedAt === null
    ? opened
    : [opened, ' · ', texts.closed, ' ', shopTime(closedAt, visitor)]
}

/** One report of a ledger: its sums so far or for good, and its files once it is closed. */
export const reportPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call<{ readonly ledger: string; readonly report: string }>,
): PortalPage => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  // Before the sums are read: what comes meanwhile is told of at once.
  const follow = portalPath(merchant, `events?after=${needs.newestOf(merchant)}`)
  const { row, view } = reportOf(needs, visitor, call.params.ledger, call.params.report)
  const { number, ledger, sums } = view
  const search = searchOf(call)
  const title = texts.reportOf({ report: number, ledger })
  const isAsked = search.has('close')
  const up = [ledgerHref(visitor, ledger), texts.ledgerOf({ ledger })] as const
  const near = (to: number, name: string) =>
    to < 1 || to > row.open ? null : (
      <Link class="lone" href={reportHref(visitor, ledger, to)} text={name} />
    )
  return {
    title,
    ...(view.status !== 'closed' && !isAsked && { follow }),
    body: [
      crumbsHtml(visitor, up),
      <div class="head" data-part="head">
        <div>
          <h1>
            {title} {reportBadge(view, visitor)}
          </h1>
          <p class="quiet small">{agesHtml(view, visitor)}</p>
        </div>
        <div class="buttons">
          {!isAsked && closeHtml(visitor, view, false)}
          {filesHtml(visitor, view)}
        </div>
      </div>,
      <Done text={search.has('closed') ? texts.closedDone : undefined} />,
      isAsked && closeHtml(visitor, view, true),
      <div class="columns" data-part="sums">
        {sums.totals.map((total) => totalHtml(total, visitor))}
        {countsHtml(sums.counters, visitor)}
      </div>,
      <nav class="buttons" aria-label={texts.reports}>
        {near(number - 1, texts.older)} {near(number + 1, texts.newer)}
      </nav>,
    ],
  }
}

/** What all reports of a ledger have in common with its open one. */
export const openGross = ({ totals }: Pick<LedgerRow, 'totals'>, currency: string): string =>
  addUp(...totals.filter((one) => one.currency === currency).map(totalGross))
