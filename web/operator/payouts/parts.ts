import { html } from 'hono/html'
import type { PayoutState } from '../../../domain/accounting/payout-state.ts'
import type { PayoutSum } from '../../../projections/payouts.ts'
import type { SettlementRow } from '../../../projections/settlements.ts'
import { dayText, sumText } from '../../portal/money-parts.ts'
import type { Html } from '../../ui/page.ts'
import { headedTable, scrolling } from '../../portal/parts.ts'
import { operatorPath } from '../areas.ts'
import type { OperatorVisitor } from '../pages.ts'
import { textsIn } from '../../../texts/catalogue.ts'

/** What has happened to something, in plain words. */
export const storyHref = (subject: string): string =>
  operatorPath(`story?subject=${encodeURIComponent(subject)}`)

export const settlementLink = ({ merchant, serial, settlementId }: SettlementRow): Html =>
  html`<a href="${storyHref(`${merchant}/${serial}`)}">${settlementId}</a>`

const messageLink = (messageId: string): Html =>
  html`<a href="${operatorPath(`payouts/messages/${encodeURIComponent(messageId)}`)}"
    ><code>${messageId}</code></a
  >`

/** To which account it was ordered under which message, or is due; why it came back. */
export const orderCell = ({ status, orders, returned }: PayoutState, due: string): Html => {
  const order = orders.at(-1)
  const reason = status === 'returned' ? returned?.reason : undefined
  return html`<td>
    ${order ? order.payoutAccount : due}
    ${order ? html`<span class="value">${messageLink(order.messageId)}</span>` : ''}
    ${reason?.code ?? ''} ${reason?.text ?? ''}
  </td>`
}

export const payoutIn = (row: SettlementRow, currency: string): PayoutState | undefined =>
  row.payouts.find((one) => one.currency === currency)

/** How much is to be paid, was paid or came back on each day. */
export const sumsHtml = (sums: readonly PayoutSum[], visitor: OperatorVisitor): Html => {
  const texts = textsIn[visitor.language].payouts
  const rows = sums.map(
    ({ day, currency, count, amount }) =>
      html`<tr>
        <th scope="row">${dayText(day, visitor)}</th>
        <td class="number">${count}</td>
        <td class="number">${sumText(amount, currency, visitor)}</td>
      </tr>`,
  )
  const heads = [texts.bankDay, { number: texts.count }, { number: texts.amount }]
  return scrolling(texts.sumOf, headedTable('grid', heads, rows))
}
