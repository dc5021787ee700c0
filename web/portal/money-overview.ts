import { html } from 'hono/html'
import type { Totals } from '../../domain/accounting/totals.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { Html } from '../ui/page.ts'
import { unseen } from '../ui/words.ts'
import type { MoneyNeeds } from './money-needs.ts'
import {
  dayText,
  daysHtml,
  factsHtml,
  moneyPath,
  settlementHref,
  startText,
  sumText,
} from './money-parts.ts'
import { ledgersHtml } from './money-ledger.ts'
import { nextPayoutHtml } from './next-payout.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { card, doneHtml, headedTable, moreLink, quiet } from './parts.ts'
import { standingOf, statusHtml, whenText } from './payout-standing.ts'
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
): readonly Html[] => {
  const zone = visitor.shop.timeZone
  const { made, payouts, serial } = row
  const day = dayText(dateIn(zone, row.startedAt), visitor)
  return (made?.payouts ?? []).map((payout) => {
    const { currency } = payout
    const state = payouts.find((one) => one.currency === currency)
    const standing = state ? standingOf(needs, visitor, state) : null
    const cell = (sum: Sum) =>
      html`<td class="number roomy">${sumText(sum, currency, visitor)}</td>`
    return html`<tr>
      <th scope="row"><a href="${settlementHref(visitor, serial)}">${day}</a></th>
      ${cell(payout.gross)} ${cell(negated(feesOf(made?.totals ?? [], currency)))}
      <td class="number"><b>${sumText(payout.payout, currency, visitor)}</b></td>
      <td class="paid-when">
        ${statusHtml(standing, visitor)}
        <span class="quiet">${state && standing ? whenText(standing, state, visitor) : ''}</span>
      </td>
    </tr>`
  })
}

const settlementsHtml = (needs: MoneyNeeds, visitor: PortalVisitor, call: Call): Html => {
  const texts = textsIn[visitor.language].money
  const before = Number(searchOf(call).get('before') ?? '') || Number.MAX_SAFE_INTEGER
  const found = needs.settlements.list(visitor.shop.merchant, before, settlementsShown + 1)
  const shown = found.slice(0, settlementsShown)
  if (shown.length === 0) return quiet(texts.noSettlements)
  const oldest = shown.at(-1)?.serial ?? 0
  const heads = [
    ...[texts.settled, { roomy: texts.turnoverLess, isNumber: true }],
    ...[{ roomy: texts.fees, isNumber: true }, { number: texts.payout }, unseen(texts.steps)],
  ]
  const rows = shown.flatMap((row) => settlementRows(needs, visitor, row))
  const older = `${moneyPath(visitor)}?before=${oldest}`
  return html`<div class="scroll">${headedTable('grid payouts', heads, rows)}</div>
    ${found.length > settlementsShown ? moreLink(older, texts.older) : ''}`
}

const accountHtml = (needs: MoneyNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  const account = needs.settlementAccounts.find(merchant)
  const frequency = texts[`frequency_${account?.frequency ?? 'daily'}`]
  return html`<section class="card">
    <h2>${texts.account}</h2>
    ${factsHtml([
      [texts.accountBefore, account?.payoutAccount ?? texts.accountNone],
      [texts.frequency, filledText(frequency, { time: startText(account, visitor) })],
      [texts.timeZone, visitor.shop.timeZone],
    ])}
    <p class="buttons">
      <a class="button second slim" href="${moneyPath(visitor, 'account')}">${texts.account}</a>
      ${
        mayDo(visitor.me.terms, 'change_settlement_account')
          ? html`<a class="button second slim" href="${moneyPath(visitor, 'times')}"
              >${texts.timesChange}</a
            >`
          : ''
      }
      <a class="button second slim" href="${moneyPath(visitor, 'terms')}">${texts.feesAll}</a>
    </p>
  </section>`
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
    body: html`<div class="head"><h1>${texts.money}</h1></div>
      ${doneHtml(searchOf(call).has('saved') ? texts.saved : undefined)}
      <div class="columns">
        ${card(texts.next, nextPayoutHtml(needs, visitor.shop.merchant, visitor))}
        ${accountHtml(needs, visitor)}
      </div>
      ${card(
        texts.payouts,
        html`${daysHtml(visitor)}
        ${needs.canOrderPayouts ? '' : html`<p class="small">${texts.noBank}</p>`}
        ${settlementsHtml(needs, visitor, call)}`,
      )}
      ${card(texts.ledgers, ledgersHtml(needs, visitor))}`,
  }
}
