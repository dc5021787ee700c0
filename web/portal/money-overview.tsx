import { Card, Done, Link, Title, type Html } from '../ui/components.tsx'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { factsHtml, moneyPath, startText } from './money-parts.tsx'
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
      <Card title={texts.ledgers}>{ledgersHtml(needs, visitor)}</Card>,
    ],
  }
}
