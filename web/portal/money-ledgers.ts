import { html } from 'hono/html'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { SettlementAccountRow } from '../../projections/settlement-accounts.ts'
import type { Html } from '../ui/page.ts'
import { unseen } from '../ui/words.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { ledgerHref, reportHref, startText, sumText } from './money-parts.ts'
import { openGross } from './money-report.ts'
import type { PortalVisitor } from './page.ts'
import { headedTable } from './parts.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

export const closesText = (
  { closes }: LedgerRow,
  account: SettlementAccountRow | undefined,
  visitor: PortalVisitor,
): string =>
  filledText(textsIn[visitor.language].money[`closes_${closes}`], {
    time: startText(account, visitor),
  })

/** The ledgers of a merchant, each with its newest reports. */
export const ledgersHtml = (needs: MoneyNeeds, visitor: PortalVisitor): Html => {
  const texts = textsIn[visitor.language].money
  const { merchant } = visitor.shop
  const account = needs.settlementAccounts.find(merchant)
  const rows = needs.ledgers.idsOf(merchant).flatMap((id) => needs.ledgers.find(merchant, id) ?? [])
  const lines = rows.map((row) => {
    const { id, open, currency, description } = row
    const link = (report: number) =>
      html`<a href="${reportHref(visitor, id, report)}"
        >${texts.report({ report })}${unseen(` ${id}`)}</a
      >`
    const all =
      open > 2
        ? html`<a class="value" href="${ledgerHref(visitor, id)}"
            >${texts.allReports}${unseen(` ${id}`)}</a
          >`
        : ''
    return html`<tr>
      <th scope="row">
        <a href="${ledgerHref(visitor, id)}">${id}</a>
        ${description === null ? '' : html`<span class="value">${description}</span>`}
      </th>
      <td>${link(open)}</td>
      <td class="number">${sumText(openGross(row, currency), currency, visitor)}</td>
      <td>${closesText(row, account, visitor)}</td>
      <td>${open > 1 ? html`${link(open - 1)} ${all}` : ''}</td>
    </tr>`
  })
  const heads = [texts.ledger, texts.open, { number: texts.soFar }, texts.closes, texts.closed]
  return html`<div class="scroll">${headedTable('grid lines', heads, lines)}</div>`
}
