import {
  Card,
  Done,
  Link,
  MoreLink,
  Quiet,
  Table,
  type Html,
  type Row,
  Title,
} from '../ui/components.tsx'
import type { Totals } from '../../domain/accounting/totals.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { unseen } from '../ui/words.tsx'
import type { MoneyNeeds } from './money-needs.ts'
import {
  dayText,
  factsHtml,
  moneyPath,
  settlementHref,
  startText,
  sumText,
} from './money-parts.tsx'
import { ledgersHtml } from './money-ledger.tsx'
import { nextPayoutOf, whereMoneyIs } from './next-payout.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { standingOf, statusHtml, whenText } from './payout-standing.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

const settlementsShown = 20

const feesOf = (totals: Totals, currency: string): Sum =>
  addUp(
    ...totals.filter((one) => one.currency === currency).flatMap(({ fees }) => Object.values(fees)),
  )

const settlementRows = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: SettlementRow,
): readonly Row[] => {
  const zone = visitor.shop.timeZone
  const { made, payouts, serial } = row
  const day = dayText(dateIn(zone, row.startedAt), visitor)
  return (made?.payouts ?? []).map((payout) => {
    const { currency } = payout
    const state = payouts.find((one) => one.currency === currency)
    const standing = state ? standingOf(needs, visitor, state) : null
    const cell = (sum: Sum) => ({ kind: 'number roomy', text: sumText(sum, currency, visitor) })
    const when = state && standing && whenText(standing, state, visitor)
    return [
      { head: <a href={settlementHref(visitor, serial)}>{day}</a> },
      cell(payout.gross),
      cell(negated(feesOf(made?.totals ?? [], currency))),
      { number: <b>{sumText(payout.payout, currency, visitor)}</b> },
      {
        kind: 'paid-when',
        text: [statusHtml(standing, visitor), ' ', <span class="quiet">{when}</span>],
      },
    ]
  })
}

const settlementsHtml = (needs: MoneyNeeds, visitor: PortalVisitor, call: Call): Html => {
  const texts = textsIn[visitor.language].money
  const before = Number(searchOf(call).get('before') ?? '') || Number.MAX_SAFE_INTEGER
  const found = needs.settlements.list(visitor.shop.merchant, before, settlementsShown + 1)
  const shown = found.slice(0, settlementsShown)
  if (shown.length === 0) return <Quiet text={texts.noSettlements} />
  const oldest = shown.at(-1)?.serial ?? 0
  const heads = [
    ...[texts.settled, { roomy: texts.turnoverLess, isNumber: true }],
    ...[{ roomy: texts.fees, isNumber: true }, { number: texts.payout }, unseen(texts.steps)],
  ]
  const rows = shown.flatMap((row) => settlementRows(needs, visitor, row))
  const older = `${moneyPath(visitor)}?before=${oldest}`
  return [
    <div class="scroll">
      <Table kind="grid payouts" heads={heads} rows={rows} />
    </div>,
    found.length > settlementsShown && <MoreLink href={older} text={texts.older} />,
  ]
}

const accountHtml = (needs: MoneyNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  const account = needs.settlementAccounts.find(merchant)
  const frequency = texts[`frequency_${account?.frequency ?? 'daily'}`]
  return (
    <Card title={texts.account}>
      {factsHtml([
        [texts.accountBefore, account?.payoutAccount ?? texts.accountNone],
        [texts.frequency, filledText(frequency, { time: startText(account, visitor) })],
        [texts.timeZone, visitor.shop.timeZone],
      ])}
      <p class="buttons">
        <Link
          class="button second slim"
          href={moneyPath(visitor, 'account')}
          text={texts.account}
        />
        {mayDo(visitor.me.terms, 'change_settlement_account') && (
          <Link
            class="button second slim"
            href={moneyPath(visitor, 'times')}
            text={texts.timesChange}
          />
        )}
        <Link class="button second slim" href={moneyPath(visitor, 'terms')} text={texts.feesAll} />
      </p>
    </Card>
  )
}

/** What is paid out, when, and what of it is still to come. */
export const moneyOverview = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  call: Call,
): PortalPage => {
  const texts = textsIn[visitor.language].money
  return {
    title: texts.money,
    body: [
      <Title text={texts.money} />,
      <Done text={searchOf(call).has('saved') ? texts.saved : undefined} />,
      whereMoneyIs(needs, visitor),
      <div class="columns">
        <Card title={texts.next}>{nextPayoutOf(needs, visitor)}</Card>
        {accountHtml(needs, visitor)}
      </div>,
      <Card title={texts.payouts}>
        {!needs.canOrderPayouts && <p class="small">{texts.noBank}</p>}
        {settlementsHtml(needs, visitor, call)}
      </Card>,
      <Card title={texts.ledgers}>{ledgersHtml(needs, visitor)}</Card>,
    ],
  }
}
