import { html } from 'hono/html'
import type { PayoutState } from '../../domain/accounting/payout-state.ts'
import type { Payout, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import { refuse } from '../../domain/refusal.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { Html } from '../payer/page.ts'
import { shownTime } from '../payer/money.ts'
import { filled, filledText } from '../payer/words.ts'
import { portalPath } from './areas.ts'
import { downloadsHtml } from './money-downloads.ts'
import type { MoneyNeeds } from './money-needs.ts'
import {
  crumbsHtml,
  dayText,
  daysHtml,
  factsHtml,
  moneyPath,
  settlementHref,
  statusHtml,
  sumText,
  whenText,
} from './money-parts.ts'
import type { Fact } from './parts.ts'
import { payoutParts, stepsOf, turnoverOf } from './money-steps.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { moneyTexts } from './texts-money.ts'
import { waterfallHtml, type Step } from './waterfall.ts'

/** @throws Refusal resource_is_unknown for all but settlements of this merchant that are made */
export const madeSettlement = (
  { settlements }: MoneyNeeds,
  { shop }: PortalVisitor,
  serial: string,
): SettlementRow & { readonly made: SettlementMade } => {
  const row = settlements.find(shop.merchant, Number(serial))
  if (!row?.made) return refuse('resource_is_unknown')
  return { ...row, made: row.made }
}

const stepsTable = (steps: readonly Step[], visitor: PortalVisitor): Html => {
  const texts = moneyTexts[visitor.language]
  return html`<table class="grid steps">
    <thead>
      <tr>
        <th scope="col">${texts.description}</th>
        <th scope="col" class="number">${texts.amount}</th>
      </tr>
    </thead>
    <tbody>
      ${steps.map(
        ({ name, shown, kind }) =>
          html`<tr ${kind === 'total' ? html`class="sum-row"` : ''}>
            <th scope="row">${name}</th>
            <td class="number">${shown}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

type Way = { readonly text: string; readonly isDone: boolean; readonly isBad?: boolean }

/** What has happened to the money, and what is still to come. */
const wayOf = (settled: string, state: PayoutState, visitor: PortalVisitor): readonly Way[] => {
  const texts = moneyTexts[visitor.language]
  const { status, day, orders, paid, returned } = state
  const when = (text: string, on: string) => filledText(text, dayText(on, visitor))
  const isOrdered = status === 'ordered' || status === 'paid'
  return [
    { text: when(texts.steps_settled, settled), isDone: true },
    ...(returned && status !== 'paid'
      ? [{ text: when(texts.steps_returned, returned.on), isDone: true, isBad: true }]
      : []),
    isOrdered
      ? { text: when(texts.steps_ordered, orders.at(-1)?.day ?? day), isDone: true }
      : { text: when(texts.steps_due, day), isDone: false },
    paid
      ? { text: when(texts.steps_paid, paid.on), isDone: true }
      : { text: texts.steps_arrives, isDone: false },
  ]
}

const wayHtml = (way: readonly Way[], { language }: PortalVisitor): Html =>
  html`<h3>${moneyTexts[language].steps}</h3>
    <ol class="way">
      ${way.map(
        ({ text, isDone, isBad }) =>
          html`<li class="${isBad ? 'bad' : isDone ? 'done' : 'later'}">${text}</li>`,
      )}
    </ol>`

const payoutFacts = (
  state: PayoutState,
  made: SettlementMade,
  visitor: PortalVisitor,
): readonly Fact[] => {
  const texts = moneyTexts[visitor.language]
  const order = state.orders.at(-1)
  const { code = null, text = null } = state.returned?.reason ?? {}
  const why = [code, text].filter(Boolean).join(', ')
  return [
    [texts.arrivesLabel, dayText(state.day, visitor)],
    ...(order
      ? ([
          [texts.payoutAccount, order.payoutAccount],
          [texts.endToEnd, html`<code>${order.endToEndId}</code>`],
          [texts.messageId, html`<code>${order.messageId}</code>`],
        ] as Fact[])
      : []),
    ...(why !== '' && state.status !== 'paid' ? ([[texts.returnReason, why]] as Fact[]) : []),
    ...(made.holidays
      ? ([
          [
            filledText(texts.holidays, '').replace(/:\s*$/, ''),
            made.holidays.map((day) => dayText(day, visitor)).join(', '),
          ],
        ] as Fact[])
      : []),
  ]
}

const currencyHtml = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  row: SettlementRow & { readonly made: SettlementMade },
  payout: Payout,
): Html => {
  const texts = moneyTexts[visitor.language]
  const { currency } = payout
  const state = row.payouts.find((one) => one.currency === currency)
  const settled = dateIn(visitor.shop.timeZone, row.startedAt)
  const parts = payoutParts(turnoverOf(needs, row, currency), row.made.totals, payout, texts)
  const steps = stepsOf(parts, currency, visitor)
  return html`<section aria-label="${currency}">
    <div class="card lead">
      <div class="lead-sum">
        <p class="figure">${sumText(payout.payout, currency, visitor)}</p>
        ${statusHtml(state?.status ?? null, visitor)}
      </div>
      <p class="quiet">${state ? whenText(state, visitor) : texts.owed}</p>
    </div>
    <div class="columns">
      <section class="card">
        <h2>${texts.waterfall}</h2>
        <p class="quiet small">${filledText(texts.waterfallWhat, currency)}</p>
        <p class="quiet small">
          ${filled(texts.takes, shownTime(row.startedAt, visitor.locale))}
          <a href="${moneyPath(visitor, 'terms')}">${texts.feesAll}</a>
        </p>
        ${waterfallHtml(texts.waterfall, steps)}
        <div class="scroll">${stepsTable(steps, visitor)}</div>
      </section>
      ${
        state
          ? html`<section class="card">
              <h2>${texts.payout}</h2>
              ${factsHtml(payoutFacts(state, row.made, visitor))}
              ${wayHtml(wayOf(settled, state, visitor), visitor)}
            </section>`
          : ''
      }
    </div>
  </section>`
}

/** One settlement: how its payout comes about, and where the money is. */
export const settlementPage = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  serial: string,
): PortalPage => {
  const texts = moneyTexts[visitor.language]
  const { merchant } = visitor.shop
  const follow = portalPath(merchant, `events?after=${needs.newestOf(merchant)}`)
  const row = madeSettlement(needs, visitor, serial)
  const { made, settlementId, payouts } = row
  const isOver = payouts.every(({ status }) => status === 'paid')
  const settled = dateIn(visitor.shop.timeZone, row.startedAt)
  const title = filledText(texts.payoutFor, dayText(settled, visitor))
  const logs = { transactions: made.transactionLogs.length, scopes: made.scopeLogs.length }
  return {
    title,
    ...(!isOver && { follow }),
    body: html`${crumbsHtml(visitor)}
      <div class="head">
        <div>
          <h1>${title}</h1>
          <p class="quiet small">${texts.settlement} <code>${settlementId}</code></p>
        </div>
        ${downloadsHtml(visitor, settlementHref(visitor, row.serial), logs)}
      </div>
      <div data-part="payouts">
        ${made.payouts.map((payout) => currencyHtml(needs, visitor, row, payout))}
      </div>
      ${daysHtml(visitor)}`,
  }
}
