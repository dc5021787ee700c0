import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { PaymentRecord } from '../../../application/payment-history.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { shownAmount, shownTime } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { reportHref, settlementHref } from '../money-parts.ts'
import type { PortalVisitor } from '../page.ts'
import { headedTable, quiet, scrolling } from '../parts.ts'
import type { Told } from './timeline.ts'

export type CountingNeeds = {
  /** The ledger that has the line of an event, once it is folded. */
  readonly ledgerOfLine: (position: number) => string | undefined
  /** The number of the report that holds a line. */
  readonly reportHolding: (
    merchant: string,
    ledger: string,
    position: number,
  ) => number | Promise<number>
  /** The settlement that takes a line, if one has; it may still be in the making. */
  readonly settlementTaking: (merchant: string, position: number) => Settlement | undefined
}

type Settlement = {
  readonly settlementId: string
  readonly serial: number
  readonly making: number
}

type MoneyRecord = Extract<PaymentRecord, { type: 'PaymentCaptured' | 'PaymentRefunded' }>

const isMoney = (event: PaymentRecord): event is MoneyRecord =>
  event.type === 'PaymentCaptured' || event.type === 'PaymentRefunded'

type Line = {
  readonly event: MoneyRecord
  readonly ledger: string
  readonly report: number
  readonly settlement: Settlement | undefined
}

/** Who may not see money reads what it is called. */
const linked = ({ me }: PortalVisitor, href: string, name: string): Html =>
  mayDo(me.terms, 'see_money') ? html`<a href="${href}">${name}</a>` : html`${name}`

const reportHtml = ({ texts }: Told, visitor: PortalVisitor, { ledger, report }: Line): Html =>
  linked(visitor, reportHref(visitor, ledger, report), texts.reportOf({ report, ledger }))

const settlementHtml = ({ texts }: Told, visitor: PortalVisitor, { settlement }: Line): Html => {
  if (!settlement) return html`<span class="quiet">${texts.noSettlement}</span>`
  const { settlementId, serial, making } = settlement
  if (making) return html`${settlementId}`
  return linked(visitor, settlementHref(visitor, serial), settlementId)
}

const lineHtml = (told: Told, visitor: PortalVisitor, line: Line): Html => {
  const { event } = line
  const { texts, locale, currency } = told
  const { amount, additionalAmount, charge } = event.data
  const shown = (minor: number) => shownAmount(minor, currency, locale)
  const isCapture = event.type === 'PaymentCaptured'
  const gross = (isCapture ? 1 : -1) * (amount + additionalAmount)
  const { fee, interchange, vat } = charge
  const parts = (['fee', 'interchange', 'vat'] as const)
    .filter((name) => charge[name] !== 0)
    .map((name) => `${texts[name]} ${shown(charge[name])}`)
  return html`<tr>
    <td>
      ${isCapture ? texts.captured : texts.refunded}
      <small class="quiet">${shownTime(event.metadata.at, locale)}</small>
    </td>
    <td class="number">${shown(gross)}</td>
    <td class="number">
      ${shown(fee + interchange + vat)}
      ${parts.length < 2 ? '' : html`<small class="quiet">${parts.join(' + ')}</small>`}
    </td>
    <td class="number">${shown(gross - fee - interchange - vat)}</td>
    <td>
      ${reportHtml(told, visitor, line)}
      <small>${settlementHtml(told, visitor, line)}</small>
    </td>
  </tr>`
}

/** Each capture and refund with its fees, its report and its settlement. */
export const moneyLinesHtml = async (
  needs: CountingNeeds,
  told: Told,
  visitor: PortalVisitor,
  { details }: RequestedPayment,
  events: readonly PaymentRecord[],
): Promise<Html> => {
  const { texts } = told
  const { merchant } = visitor.shop
  const lines: Line[] = []
  for (const event of events.filter(isMoney)) {
    const { position } = event
    const ledger = needs.ledgerOfLine(position) ?? details.ledger
    const report = await needs.reportHolding(merchant, ledger, position)
    lines.push({ event, ledger, report, settlement: needs.settlementTaking(merchant, position) })
  }
  if (lines.length === 0) return quiet(texts.feesNone)
  const numbers = [texts.amount, texts.fees, texts.net].map((number) => ({ number }))
  const heads = [texts.when, ...numbers, texts.reportAndSettlement]
  const rows = lines.map((line) => lineHtml(told, visitor, line))
  return scrolling(texts.fees, headedTable('grid fees', heads, rows))
}
