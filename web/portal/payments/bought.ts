import { html } from 'hono/html'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { shownAmount } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { headedTable, scrolling } from '../parts.ts'
import type { PaymentTexts } from './texts.ts'

/** What was bought: the line items; nothing where the shop has told none. */
export const itemsHtml = (
  { details: { lineItems }, request }: RequestedPayment,
  texts: PaymentTexts,
  locale: string,
): Html | '' => {
  if (lineItems.length === 0) return ''
  const shown = (minor: number) => shownAmount(minor, request.currency, locale)
  const numbers = [texts.quantity, texts.vat, texts.total].map((number) => ({ number }))
  const rows = lineItems.map(
    ({ productId, description, quantity, total, vat, vatRate }) =>
      html`<tr>
        <td>
          ${description ?? productId}
          ${description === null ? '' : html`<small class="quiet">${productId}</small>`}
        </td>
        <td class="number">${quantity}</td>
        <td class="number">
          ${vat === null ? '' : shown(vat)}
          ${vatRate === null ? '' : html`<small>(${vatRate} %)</small>`}
        </td>
        <td class="number">${shown(total)}</td>
      </tr>`,
  )
  return scrolling(texts.bought, headedTable('grid items', [texts.item, ...numbers], rows))
}
