import { Link, MoreLink, Quiet, Table, type Html, type Row } from '../ui/components.tsx'
import type { Totals } from '../../domain/accounting/totals.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { csvDownload, textStream } from '../../http/text-stream.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { plainAmounts, typedSigned } from '../ui/money.tsx'
import { pageHeaders } from '../ui/page.tsx'
import { unseen } from '../ui/words.tsx'
import { workbookReply } from './money-files.tsx'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import { dayText, moneyPath, settlementHref, sumText } from './money-parts.tsx'
import { downloading, moneyRoot } from './money-places.ts'
import type { PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'
import { standingOf, statusHtml, whenText } from './payout-standing.tsx'

const settlementsListed = 20

/** Settlements read at a time, while those of an amount are looked for. */
const readAtOnce = 200

const mostRead = 10_000

const feesOf = (totals: Totals, currency: string): Sum =>
  addUp(
    ...totals.filter((one) => one.currency === currency).flatMap(({ fees }) => Object.values(fees)),
  )

type Amounts = (sum: Sum, currency: string) => string

const settlementRows = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: SettlementRow,
  amounts: Amounts,
): readonly Row[] => {
  const zone = visitor.shop.timeZone
  const { made, payouts, serial } = row
  const day = dayText(dateIn(zone, row.startedAt), visitor)
  return (made?.payouts ?? []).map((payout) => {
    const { currency } = payout
    const state = payouts.find((one) => one.currency === currency)
    const standing = state ? standingOf(needs, visitor, state) : null
    const cell = (sum: Sum) => ({ kind: 'number roomy', text: amounts(sum, currency) })
    const when = state && standing && whenText(standing, state, visitor)
    return [
      { head: <a href={settlementHref(visitor, serial)}>{day}</a> },
      cell(payout.gross),
      cell(negated(feesOf(made?.totals ?? [], currency))),
      { number: <b>{amounts(payout.payout, currency)}</b> },
      {
        kind: 'paid-when',
        text: [statusHtml(standing, visitor), ' ', <span class="quiet">{when}</span>],
      },
    ]
  })
}

/** Whether a settlement pays this, in any of its currencies; nothing typed is any amount. */
const isOfAmount = (typed: string) => {
  return ({ made }: SettlementRow): boolean =>
    typed === '' ||
    (made?.payouts ?? []).some(
      ({ payout, currency }) => String(typedSigned(typed, currency)) === payout,
    )
}

/** The settlements of a merchant, newest first. */
export function* settlementsBefore({ settlements }: MoneyNeeds, merchant: string, from: number) {
  let before = from
  for (let read = 0; read < mostRead; read += readAtOnce) {
    const rows = settlements.list(merchant, before, readAtOnce)
    yield* rows
    before = rows.at(-1)?.serial ?? 0
    if (rows.length < readAtOnce) return
  }
}

const firstOf = <T,>(all: Iterable<T>, fits: (one: T) => boolean, most: number): T[] => {
  const found: T[] = []
  for (const one of all) {
    if (fits(one)) found.push(one)
    if (found.length === most) break
  }
  return found
}

const findHtml = (visitor: PortalVisitor, typed: string): Html => {
  const texts = textsIn[visitor.language].money
  return (
    <form class="find" method="get" action={moneyPath(visitor)} role="search">
      <div class="find-text">
        <label class="unseen" for="payout">
          {texts.payoutAmount}
        </label>
        <input
          id="payout"
          name="payout"
          inputmode="decimal"
          value={typed}
          placeholder={texts.payoutAmount}
        />
        <button class="second">{textsIn[visitor.language].payments.show}</button>
      </div>
    </form>
  )
}

/** The payouts of a merchant, found by the amount on a bank statement. */
export const payoutsHtml = (needs: MoneyNeeds, visitor: PortalVisitor, call: Call): Html => {
  const texts = textsIn[visitor.language].money
  const search = searchOf(call)
  const before = Number(search.get('before') ?? '') || Number.MAX_SAFE_INTEGER
  const typed = search.get('payout')?.trim() ?? ''
  const all = settlementsBefore(needs, visitor.shop.merchant, before)
  const found = firstOf(all, isOfAmount(typed), settlementsListed + 1)
  const listed = found.slice(0, settlementsListed)
  if (listed.length === 0 && typed === '') return <Quiet text={texts.noSettlements} />
  const [currency, ...others] = new Set(
    listed.flatMap(({ made }) => made?.payouts ?? []).map((one) => one.currency),
  )
  // A single currency stands in the head.
  const isPlain = currency !== undefined && others.length === 0
  const named = (text: string) => (isPlain ? `${text}, ${currency}` : text)
  const heads = [
    ...[texts.settled, { roomy: named(texts.turnoverLess), isNumber: true }],
    { roomy: named(texts.fees), isNumber: true },
    ...[{ number: named(texts.payout) }, unseen(texts.steps)],
  ]
  const amounts: Amounts = isPlain
    ? plainAmounts(visitor.locale, currency)
    : (sum, of) => sumText(sum, of, visitor)
  const rows = listed.flatMap((row) => settlementRows(needs, visitor, row, amounts))
  const amount = typed === '' ? '' : `payout=${encodeURIComponent(typed)}&`
  const older = `${moneyPath(visitor)}?${amount}before=${listed.at(-1)?.serial ?? 0}`
  return [
    findHtml(visitor, typed),
    rows.length === 0 ? (
      <Quiet text={texts.noPayoutOf} />
    ) : (
      <div class="scroll">
        <Table kind="grid payouts" heads={heads} rows={rows} />
      </div>
    ),
    found.length > settlementsListed && <MoreLink href={older} text={texts.older} />,
    mayDo(visitor.me.terms, 'download') && (
      <p class="buttons">
        <Link
          class="button second slim"
          href={moneyPath(visitor, 'payouts.xlsx')}
          text={texts.payoutsExcel}
        />{' '}
        <Link
          class="button second slim"
          href={moneyPath(visitor, 'payouts.csv')}
          text={texts.payoutsCsv}
        />
      </p>
    ),
  ]
}

const columns = [
  ...['settled', 'settlement_id', 'currency', 'gross', 'fees', 'payout', 'status', 'arrives'],
  ...['paid_on', 'payout_account', 'end_to_end_id'],
]

function* cellsOf(needs: MoneyNeeds, { shop }: PortalVisitor) {
  for (const row of settlementsBefore(needs, shop.merchant, Number.MAX_SAFE_INTEGER))
    for (const { currency, gross, payout } of row.made?.payouts ?? []) {
      const state = row.payouts.find((one) => one.currency === currency)
      const order = state?.orders.at(-1)
      const fees = negated(feesOf(row.made?.totals ?? [], currency))
      const about = [dateIn(shop.timeZone, row.startedAt), row.settlementId, currency] as const
      const amounts = [gross, fees, payout].map((sum) => formatAmount(sum, currency))
      const rest = [state?.status ?? '', state?.day ?? '', state?.paid?.on ?? ''] as const
      const bank = [order?.payoutAccount ?? '', order?.endToEndId ?? ''] as const
      yield { about, amounts, rest: [...rest, ...bank] }
    }
}

async function* linesOf(needs: MoneyNeeds, visitor: PortalVisitor) {
  yield `${columns.join(',')}\r\n`
  for (const { about, amounts, rest } of cellsOf(needs, visitor))
    yield `${[...about, ...amounts, ...rest].join(',')}\r\n`
}

const sheetOf = (needs: MoneyNeeds, visitor: PortalVisitor): Sheet => {
  const rows = Array.from(cellsOf(needs, visitor), ({ about, amounts, rest }) => [
    ...about,
    ...amounts.map(Number),
    ...rest,
  ])
  return { name: textsIn[visitor.language].money.payouts, rows: [columns, ...rows] }
}

/** All payouts as a file. */
export const payoutsRoutes = (needs: MoneyNeeds, { page }: PortalPages): Route[] => [
  page(
    {
      ...downloading,
      path: `${moneyRoot}/payouts.csv`,
      summary: 'The payouts of all settlements, newest first, as CSV',
      replyTypes: ['text/csv', 'text/html'],
    },
    async (visitor) => {
      const name = `payouts-${visitor.shop.merchant}.csv`
      return csvDownload(name, textStream(linesOf(needs, visitor)), pageHeaders(needs.isSecure))
    },
  ),
  page(
    {
      ...downloading,
      path: `${moneyRoot}/payouts.xlsx`,
      summary: 'The payouts of all settlements, newest first, as a workbook',
    },
    async (visitor) => {
      const sheets = [sheetOf(needs, visitor)]
      const name = `payouts-${visitor.shop.merchant}.xlsx`
      return workbookReply(needs, visitor, name, { sheets, csv: 'payouts.csv' })
    },
  ),
]
