import { html } from 'hono/html'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { shownAmount } from '../../payer/money.ts'
import type { Html } from '../../payer/page.ts'
import type { PaymentTexts } from './texts.ts'

/** What was bought: the line items; nothing where the shop has told none. */
export const itemsHtml = (
  { details: { lineItems }, request }: RequestedPayment,
  texts: PaymentTexts,
  locale: string,
): Html | '' => {
  if (lineItems.length === 0) return ''
  const shown = (minor: number) => shownAmount(minor, request.currency, locale)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.bought}">
    <table class="grid items">
      <thead>
        <tr>
          <th scope="col">${texts.item}</th>
          <th scope="col" class="number">${texts.quantity}</th>
          <th scope="col" class="number">${texts.vat}</th>
          <th scope="col" class="number">${texts.total}</th>
        </tr>
      </thead>
      <tbody>
        ${lineItems.map(
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
        )}
      </tbody>
    </table>
  </div>`
}
