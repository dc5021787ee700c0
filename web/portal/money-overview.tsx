import { Card, Done, Link, Table, Title, type Html } from '../ui/components.tsx'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp, negated } from '../../domain/money/money.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { dayText, factsHtml, moneyPath, startText, sumText } from './money-parts.tsx'
import { ledgersHtml } from './money-ledger.tsx'
import { payoutsHtml } from './money-payouts.tsx'
import { whereMoneyIs } from './next-payout.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

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

const invoicesListed = 50

/** What the merchant owes, and what was invoiced of it. */
const invoicesHtml = (needs: MoneyNeeds, visitor: PortalVisitor): Html => {
  const { money, invoices: texts } = textsIn[visitor.language]
  const { merchant } = visitor.shop
  const [owed, rows] = [needs.owedOf(merchant), needs.invoices.list(merchant, invoicesListed)]
  if (owed.length === 0 && rows.length === 0) return null
  const heads = [texts.number, texts.date, { number: money.amount }, { number: texts.paid }]
  return (
    <Card title={texts.title}>
      {owed.map(({ sum, currency }) => (
        <p>{texts.owed({ sum: sumText(sum, currency, visitor) })}</p>
      ))}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          kind="grid stacks"
          heads={[...heads, texts.paidOn]}
          rows={rows.map(({ id, at, amount, open, paidOn, currency }) => [
            { head: id },
            dayText(dateIn(visitor.shop.timeZone, at), visitor),
            { number: sumText(amount, currency, visitor) },
            { number: sumText(addUp(amount, negated(open)), currency, visitor) },
            dayText(paidOn ?? '', visitor),
          ])}
        />
      )}
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
      <div class="columns">
        {whereMoneyIs(needs, visitor)}
        {accountHtml(needs, visitor)}
      </div>,
      <Card title={texts.payouts}>
        {!needs.canOrderPayouts && <p class="small">{texts.noBank}</p>}
        {payoutsHtml(needs, visitor, call)}
      </Card>,
      invoicesHtml(needs, visitor),
      <Card title={texts.ledgers}>{ledgersHtml(needs, visitor)}</Card>,
    ],
  }
}
