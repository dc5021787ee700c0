import { html } from 'hono/html'
import { z } from 'zod'
import {
  payoutStatuses,
  type PayoutStatus,
  type PayoutState,
} from '../../../domain/accounting/payout-state.ts'
import { addUp } from '../../../domain/money/money.ts'
import { operatorMayDo } from '../../../domain/people/operator-roles.ts'
import {
  earliestDay,
  firstPlace,
  latestDay,
  type PayoutPlace,
  type PayoutRange,
  type PayoutRow,
  type PayoutSum,
} from '../../../projections/payouts.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf } from '../../../http/call.ts'
import { asked, codeField } from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { dayText, sumText } from '../../portal/money-parts.ts'
import { card, headedTable, moreLink, scrolling } from '../../portal/parts.ts'
import { operatorPath } from '../areas.ts'
import { type OperatorVisitor, dayField, merchantField, type PageOf } from '../pages.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { SettlementRow } from '../../../projections/settlements.ts'

export type PayoutListNeeds = Pick<
  Queries['accounting'],
  'payouts' | 'settlements' | 'settlementAccounts'
> & {
  readonly shopName: (merchant: string) => string
  readonly newMessageId: () => string
  /** Whether it is set where the money for payouts is. */
  readonly canOrder: boolean
}

const onPage = 50

const mostDays = 14

const day = /^\d{4}-\d\d-\d\d$/

export const payoutListQuery = z.object({
  status: z.enum(payoutStatuses).optional().meta({ description: 'In this state; else those due.' }),
  merchant: asked('Of this merchant.'),
  day: asked('Of this bank day.'),
  behind: asked('Behind this place of the list.'),
})

const rangeOf = (search: URLSearchParams): PayoutRange => {
  const status = payoutStatuses.find((one) => one === search.get('status')) ?? 'due'
  const wanted = search.get('day') ?? ''
  const [since, until] = day.test(wanted) ? [wanted, wanted] : [earliestDay, latestDay]
  return { status, merchant: search.get('merchant')?.trim() || null, since, until }
}

const placeIn = (text: string | null): PayoutPlace | undefined => {
  const [, at, key] = /^(\d{4}-\d\d-\d\d) (.{1,200})$/.exec(text ?? '') ?? []
  return at === undefined || key === undefined ? undefined : { day: at, key }
}

const hrefOf = ({ status, merchant, since }: PayoutRange, behind?: PayoutPlace): string => {
  const fields = { status, ...(merchant !== null && { merchant }) }
  const days = day.test(since) && since !== earliestDay ? { day: since } : {}
  const place = behind ? { behind: `${behind.day} ${behind.key}` } : {}
  return operatorPath(`payouts?${new URLSearchParams({ ...fields, ...days, ...place })}`)
}

const tabsHtml = (range: PayoutRange, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].payouts
  const tab = (status: PayoutStatus) =>
    html`<a
      href="${hrefOf({ ...range, status })}"
      ${status === range.status ? html`aria-current="page"` : ''}
      >${texts[`status_${status}`]}</a
    >`
  return html`<nav class="tabs" aria-label="${texts.state}">
    ${(['due', 'returned', 'ordered', 'paid'] as const).map(tab)}
  </nav>`
}

const filterHtml = (range: PayoutRange, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].payouts
  const { status, merchant, since } = range
  return html`<form class="choices" method="get" action="${operatorPath('payouts')}">
    ${hiddenFields({ status })} ${merchantField(texts.merchant, merchant)}
    ${dayField(texts.bankDay, since === earliestDay ? undefined : since)}
    <button class="second">${texts.show}</button>
  </form>`
}

const rowHtml = (
  { settlements, settlementAccounts, shopName }: PayoutListNeeds,
  visitor: OperatorVisitor,
  { merchant, serial, currency, amount, day: bankDay }: PayoutRow,
): readonly Html[] => {
  const row = settlements.find(merchant, serial)
  const state = row && payoutIn(row, currency)
  if (!row || !state) return []
  const account =
    settlementAccounts.find(merchant)?.payoutAccount ??
    textsIn[visitor.language].payouts.accountMissing
  const shown = html`<tr>
    <th scope="row">${shopName(merchant)}<span class="value">${merchant}</span></th>
    <td>${settlementLink(row)}</td>
    <td class="number"><b>${sumText(amount, currency, visitor)}</b></td>
    <td>${dayText(bankDay, visitor)}</td>
    ${orderCell(state, account)}
  </tr>`
  return [shown]
}

/** What is due, or came back, is ordered under a message whose id the page makes: once. */
const orderHtml = (needs: PayoutListNeeds, visitor: OperatorVisitor): Html | '' => {
  const { language, csrf, me } = visitor
  if (!operatorMayDo(me.terms, 'order_payouts')) return ''
  const texts = textsIn[language].payouts
  const totals = [...needs.payouts.totals('due'), ...needs.payouts.totals('returned')]
  if (totals.length === 0) return ''
  if (!needs.canOrder) return html`<p class="card quiet">${texts.noAccount}</p>`
  const currencies = [...new Set(totals.map(({ currency }) => currency))].toSorted()
  const told = currencies.map((currency) => {
    const own = totals.filter((one) => one.currency === currency)
    return sumText(addUp(...own.map(({ sum }) => sum)), currency, visitor)
  })
  return html`<form class="card narrow-card" method="post" action="${operatorPath('payouts')}">
    <h2>${texts.order}</h2>
    <p>${texts.orderWhat({ sums: told.join(', ') })}</p>
    ${hiddenFields({ csrf, message: needs.newMessageId() })} ${codeField(visitor.texts)}
    <div class="actions"><button>${texts.orderIt}</button></div>
  </form>`
}

export const payoutListPage: PageOf<PayoutListNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].payouts
  const search = searchOf(call)
  const range = rangeOf(search)
  const found = needs.payouts.list(
    range,
    placeIn(search.get('behind')) ?? firstPlace(range),
    onPage + 1,
  )
  const shown = found.slice(0, onPage)
  const last = shown.at(-1)
  const ofDays = { ...range, until: shown[0]?.day ?? range.until }
  const amount = { number: texts.amount }
  const heads = [texts.merchant, texts.settlement, amount, texts.bankDay, texts.account]
  const rows = shown.flatMap((row) => rowHtml(needs, visitor, row))
  return {
    title: texts.payouts,
    body: html`<div class="head">
        <h1>${texts.payouts}</h1>
        <a class="button second slim" href="${operatorPath('payouts/bank')}">${texts.bank}</a>
      </div>
      ${tabsHtml(range, visitor)} ${filterHtml(range, visitor)}
      ${range.status === 'due' || range.status === 'returned' ? orderHtml(needs, visitor) : ''}
      ${
        last === undefined
          ? html`<p class="card quiet">${texts.noPayouts}</p>`
          : html`${card(texts.sumOf, sumsHtml(needs.payouts.sums(ofDays, mostDays), visitor))}
            ${card(
              texts[`status_${range.status}`],
              html`${scrolling(texts.payouts, headedTable('grid lines', heads, rows))}
              ${found.length > onPage ? moreLink(hrefOf(range, last), texts.older) : ''}`,
            )}`
      }`,
  }
}

/** What has happened to something, in plain words. */
export const storyHref = (subject: string): string =>
  operatorPath(`story?subject=${encodeURIComponent(subject)}`)

export const settlementLink = ({ merchant, serial, settlementId }: SettlementRow): Html =>
  html`<a href="${storyHref(`${merchant}/${serial}`)}">${settlementId}</a>`

export const messageLink = (messageId: string): Html =>
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
