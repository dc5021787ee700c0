import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import { listStart, type PaymentLists } from '../../../projections/payment-list.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import type { SandboxPayerNeeds } from '../../../http/merchant/sandbox-payer.ts'
import { shownAmount, shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { unseen } from '../../ui/words.ts'
import { portalPath } from '../areas.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { card, headedTable } from '../parts.ts'
import { namesOfPos, type PosOf } from '../payments/find.ts'
import { actHtml, developersPage, developersPath, factsHtml, textsOf } from './parts.ts'
import { filled } from '../../ui/words.ts'
import { textsIn } from '../../../texts/catalogue.ts'

export type SandboxPageNeeds = {
  readonly lists: PaymentLists
  readonly posOf: PosOf
  readonly newestOf: (merchant: string) => number
  readonly simulator: Pick<SandboxPayerNeeds, 'findPayer' | 'oneTimeCode'> | undefined
}

/** Those whom the sandbox makes. */
export const simulatedPayers = ['alice', 'bob'] as const
/** In seconds. */
export const steps = [3_600, 86_400, 604_800, 2_592_000] as const

const waitingShown = 20

type Names = ReadonlyMap<string, string>

const waitingHtml = (visitor: PortalVisitor, names: Names, row: PaymentRow): Html => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const amount = shownAmount(row.amount, row.currency, visitor.locale)
  return html`<tr>
    <th scope="row"><a href="${portalPath(merchant, `payments/${row.tid}`)}">${amount}</a></th>
    <td>${row.posTid}<span class="value">${names.get(row.posId) ?? row.posId}</span></td>
    <td>${shownTime(row.requestedAt, visitor.locale)}</td>
    <td>
      <form class="play" method="post" action="${developersPath(merchant, 'sandbox')}">
        ${hiddenFields({ csrf: visitor.csrf, tid: row.tid })}
        <select name="payer" aria-label="${texts.payer}">
          ${simulatedPayers.map((payer) => html`<option>${payer}</option>`)}
        </select>
        <button class="slim" name="change" value="accept">
          ${texts.accept}${unseen(` ${amount}`)}
        </button>
        <button class="slim second" name="change" value="decline">
          ${texts.decline}${unseen(` ${amount}`)}
        </button>
      </form>
    </td>
  </tr>`
}

const simulatorHtml = (visitor: PortalVisitor, names: Names, rows: readonly PaymentRow[]): Html => {
  const texts = textsOf(visitor)
  const words = textsIn[visitor.language].payments
  const heads = [words.amount, words.orderNumber, words.requested, unseen(texts.payer)]
  const lines = rows.map((row) => waitingHtml(visitor, names, row))
  const table = html`<div class="scroll">${headedTable('grid stacks', heads, lines)}</div>`
  return card(
    texts.simulator,
    html`<p class="quiet small">${texts.simulatorWhat}</p>
      <div data-part="waiting">
        ${rows.length === 0 ? html`<p>${texts.noWaiting}</p>` : table}
      </div>`,
  )
}

const clockHtml = (visitor: PortalVisitor, at: Instant, mayChange: boolean): Html => {
  const texts = textsOf(visitor)
  const path = developersPath(visitor.shop.merchant, 'sandbox')
  return html`<section class="card">
    <h2>${texts.clock}</h2>
    <p>${filled(texts.nowIs, { time: html`<b>${shownTime(at, visitor.locale)}</b>` })}</p>
    ${
      mayChange
        ? html`<p class="quiet small">${texts.advanceWhat} ${texts.advanceShared}</p>
            <form class="buttons" method="post" action="${path}">
              ${hiddenFields({ csrf: visitor.csrf, change: 'advance' })}
              ${steps.map(
                (step) =>
                  html`<button class="slim second" name="seconds" value="${step}">
                    ${texts[`advance_${step}`]}
                  </button>`,
              )}
            </form>
            <h3>${texts.settleNow}</h3>
            <p class="quiet small">${texts.settleWhat}</p>
            ${actHtml(visitor, { path, change: 'settle', label: texts.settleNow })}`
        : ''
    }
  </section>`
}

const payersHtml = async (
  { simulator }: SandboxPageNeeds,
  visitor: PortalVisitor,
): Promise<Html> => {
  const texts = textsOf(visitor)
  const shown = simulatedPayers.map(async (name) => {
    const payer = await simulator?.findPayer(name)
    const code = payer === undefined ? undefined : await simulator?.oneTimeCode(payer)
    return [name, html`${texts.oneTimeCode} <code>${code ?? '—'}</code>`] as const
  })
  return card(
    texts.payers,
    html`<p class="quiet small">${texts.payersWhat}</p>
      ${factsHtml(await Promise.all(shown))}
      <p><a href="/docs/sandbox">${texts.sandboxGuide}</a></p>`,
  )
}

/** The clock, the payments that wait for a payer, and what payers' phones show. */
export const sandboxPage = async (
  needs: SandboxPageNeeds,
  visitor: PortalVisitor,
  at: Instant,
  done: string | undefined,
): Promise<PortalPage> => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const newest = needs.newestOf(shop.merchant)
  const range = { since: 0, behind: listStart, limit: waitingShown }
  const mayChange = mayDo(me.terms, 'change_api_users')
  const waiting = needs.lists.open(shop.merchant, true, range)
  return developersPage(visitor, {
    ...{ tab: 'sandbox', title: texts.tab_sandbox, done },
    follow: portalPath(shop.merchant, `events?after=${newest}`),
    body: html`${mayChange ? simulatorHtml(visitor, namesOfPos(needs, shop.merchant), waiting) : ''}
      <div class="columns">
        ${clockHtml(visitor, at, mayChange)} ${await payersHtml(needs, visitor)}
      </div>`,
  })
}
