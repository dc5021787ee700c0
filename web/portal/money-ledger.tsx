import {
  Actions,
  Card,
  Done,
  Form,
  Link,
  Table,
  type Row,
  type Html,
  Title,
} from '../ui/components.tsx'
import { totalGross, totalNet } from '../../domain/accounting/totals.ts'
import { closings, type Closing } from '../../domain/calendar.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp } from '../../domain/money/money.ts'
import { refuse } from '../../domain/refusal.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import { readReport, type ReportView } from '../../http/merchant/report-reply.ts'
import { type Problems, Choice, Field } from '../ui/fields.tsx'
import { shopTime } from '../ui/money.tsx'
import type { MoneyNeeds } from './money-needs.ts'
import {
  crumbsHtml,
  factsHtml,
  ledgerHref,
  reportHref,
  startText,
  sumText,
} from './money-parts.tsx'
import { reportBadge, openGross } from './money-report.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'
import type { SettlementAccountRow } from '../../projections/settlement-accounts.ts'
import { unseen } from '../ui/words.tsx'

export const closesText = (
  { closes }: LedgerRow,
  account: SettlementAccountRow | undefined,
  visitor: PortalVisitor,
): string =>
  filledText(textsIn[visitor.language].money[`closes_${closes}`], {
    time: startText(account, visitor),
  })

/** Its own currency first. */
const currenciesOf = ({ currency, totals }: Pick<LedgerRow, 'currency' | 'totals'>) => [
  ...new Set([currency, ...totals.map((total) => total.currency)]),
]

/** The ledgers of a merchant, each with its newest reports. */
export const ledgersHtml = (needs: MoneyNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  const account = needs.settlementAccounts.find(merchant)
  const rows = needs.ledgers.idsOf(merchant).flatMap((id) => needs.ledgers.find(merchant, id) ?? [])
  const lines = rows.map((row) => {
    const { id, open, description } = row
    const link = (report: number) => (
      <a href={reportHref(visitor, id, report)}>
        {texts.report({ report })}
        {unseen(` ${id}`)}
      </a>
    )
    const all =
      open > 2 ? (
        <a class="value" href={ledgerHref(visitor, id)}>
          {texts.allReports}
          {unseen(` ${id}`)}
        </a>
      ) : null
    return [
      {
        head: [
          <a href={ledgerHref(visitor, id)}>{id}</a>,
          ' ',
          description !== null && <span class="value">{description}</span>,
        ],
      },
      link(open),
      {
        number: currenciesOf(row).map((one) => (
          <span class="value">{sumText(openGross(row, one), one, visitor)}</span>
        )),
      },
      closesText(row, account, visitor),
      open > 1 && [link(open - 1), ' ', all],
    ]
  })
  const heads = [texts.ledger, texts.open, { number: texts.soFar }, texts.closes, texts.closed]
  return (
    <div class="scroll">
      <Table kind="grid lines" heads={heads} rows={lines} />
    </div>
  )
}

const listedAtOnce = 24

/** @throws Refusal resource_is_unknown for ledgers of others */
export const ledgerOf = (
  { ledgers }: MoneyNeeds,
  { shop }: PortalVisitor,
  ledger: string,
): LedgerRow => ledgers.find(shop.merchant, ledger) ?? refuse('resource_is_unknown')

const rowHtml = (visitor: PortalVisitor, { currency }: LedgerRow, report: ReportView): Row => {
  const { language } = visitor
  const { number, ledger, openedAt, closedAt, sums } = report
  const currencies = currenciesOf({ currency, totals: sums.totals })
  const sumsOf = (of: typeof totalGross): Html =>
    currencies.map((one) => {
      const totals = sums.totals.filter((total) => total.currency === one)
      return <span class="value">{sumText(addUp(...totals.map(of)), one, visitor)}</span>
    })
  return [
    {
      head: (
        <a href={reportHref(visitor, ledger, number)}>
          {textsIn[language].money.report({ report: number })}
        </a>
      ),
    },
    reportBadge(report, visitor),
    { kind: 'roomy', text: shopTime(openedAt, visitor) },
    { kind: 'roomy', text: closedAt !== null && shopTime(closedAt, visitor) },
    { kind: 'number roomy', text: sumsOf(totalGross) },
    { number: sumsOf(totalNet) },
  ]
}

/** Newest first; the numbers have no gaps. */
const reportsHtml = (
  { reports }: MoneyNeeds,
  visitor: PortalVisitor,
  row: LedgerRow,
  before: number,
): Html => {
  const texts = textsIn[visitor.language].money
  const newest = Math.min(before - 1, row.open)
  const oldest = Math.max(1, newest - listedAtOnce + 1)
  const numbers = Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index)
  const rows = numbers.map((one) => rowHtml(visitor, row, readReport(reports, row, one)))
  const heads = [
    ...[texts.number, texts.status, { roomy: texts.opened }, { roomy: texts.closed }],
    ...[{ roomy: texts.turnoverLess, isNumber: true }, { number: texts.net }],
  ]
  const href = ledgerHref(visitor, row.id)
  const link = (before: number, name: string) => (
    <Link class="lone" href={`${href}?before=${before}`} text={name} />
  )
  return (
    <Card title={texts.reports}>
      <Table label={texts.reports} kind="grid" heads={heads} rows={rows} />
      <nav class="buttons" aria-label={texts.allReports}>
        {newest < row.open && link(newest + listedAtOnce + 1, texts.newer)}
        {oldest > 1 && link(oldest, texts.older)}
      </nav>
    </Card>
  )
}

type LedgerForm = {
  readonly closes: Closing
  readonly description: string
  readonly problems: Problems
}

const settingsHtml = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: LedgerRow,
  form: LedgerForm | undefined,
): Html => {
  const { language, csrf, shop, me } = visitor
  const texts = textsIn[language].money
  const account = needs.settlementAccounts.find(shop.merchant)
  const time = startText(account, visitor)
  const { closes = row.closes, description = row.description ?? '', problems = {} } = form ?? {}
  if (!mayDo(me.terms, 'close_report')) return []
  return (
    <section class="card narrow-card">
      <h2>{texts.closesChange}</h2>
      <p class="quiet small">{texts.closesWhat({ timeZone: shop.timeZone })}</p>
      <Form action={ledgerHref(visitor, row.id)} hidden={{ csrf }}>
        <Choice
          name="closes"
          label={texts.closes}
          value={closes}
          of={closings.map((one) => [one, filledText(texts[`option_${one}`], { time })] as const)}
        />
        <Field
          name="description"
          label={texts.description}
          problem={problems['description']}
          value={description}
          maxlength={1000}
          autocomplete="off"
        />
        <Actions button={texts.save} />
      </Form>
    </section>
  )
}

/** A ledger: when its reports close, and all of them. */
export const ledgerPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: LedgerRow,
  query: { readonly before: number; readonly isSaved: boolean; readonly form?: LedgerForm },
): PortalPage => {
  const { language, shop } = visitor
  const texts = textsIn[language].money
  const title = texts.ledgerOf({ ledger: row.id })
  const account = needs.settlementAccounts.find(shop.merchant)
  return {
    title,
    ...(query.form && { status: 400 as const }),
    body: [
      crumbsHtml(visitor),
      <Title
        text={[title, ' ', row.enabled ? null : <span class="badge bad">{texts.disabled}</span>]}
      />,
      <Done text={query.isSaved ? texts.saved : undefined} />,
      reportsHtml(needs, visitor, row, query.before),
      <div class="columns">
        <Card title={texts.ledger}>
          {factsHtml([
            [texts.description, row.description ?? '–'],
            [texts.currency, row.currency],
            [texts.closes, closesText(row, account, visitor)],
            [texts.timeZone, shop.timeZone],
          ])}
        </Card>
        {settingsHtml(needs, visitor, row, query.form)}
      </div>,
    ],
  }
}
