import { html } from 'hono/html'
import type { PaymentPreview } from '../../../application/preview-payment.ts'
import { nothing, type Pots } from '../../../domain/money/pots.ts'
import { available, type RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { shownAmount, shownTime } from '../../payer/money.ts'
import type { Html } from '../../payer/page.ts'
import { filled } from '../../payer/words.ts'
import { standingOf } from './one-parts.ts'
import { badgeHtml } from './state.ts'
import type { PaymentTexts } from './texts.ts'

type Previewed = {
  readonly texts: PaymentTexts
  readonly visitor: { readonly locale: string }
  readonly payment: RequestedPayment
}

export const grossOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const sums = ['captured', 'available', 'released', 'refunded'] as const

const sumsIn = (payment: RequestedPayment) => ({
  captured: grossOf(payment.captured),
  available: grossOf(payment.status === 'auth' ? available(payment) : nothing),
  released: grossOf(payment.released),
  refunded: grossOf(payment.refunded),
})

/** The numbers that change, now and afterwards. */
export const changesHtml = (
  { texts, visitor, payment }: Previewed,
  { after }: PaymentPreview,
): Html => {
  const [now, then] = [sumsIn(payment), sumsIn(after)]
  const shown = (minor: number) => shownAmount(minor, payment.request.currency, visitor.locale)
  const time = (at: number) => shownTime(at, visitor.locale)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.previewTitle}">
    <table class="grid preview">
      <thead>
        <tr>
          <td></td>
          <th scope="col" class="number">${texts.before}</th>
          <th scope="col" class="number">${texts.afterwards}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">${texts.status}</th>
          <td class="number">${badgeHtml(texts, standingOf(payment))}</td>
          <td class="number">${badgeHtml(texts, standingOf(after))}</td>
        </tr>
        ${sums
          .filter((name) => now[name] !== then[name])
          .map(
            (name) =>
              html`<tr>
                <th scope="row">${texts[name]}</th>
                <td class="number">${shown(now[name])}</td>
                <td class="number"><b>${shown(then[name])}</b></td>
              </tr>`,
          )}
        ${
          payment.expiresAt === after.expiresAt
            ? ''
            : html`<tr>
                <th scope="row">${texts.expiresAt}</th>
                <td class="number">${time(payment.expiresAt)}</td>
                <td class="number"><b>${time(after.expiresAt)}</b></td>
              </tr>`
        }
      </tbody>
    </table>
  </div>`
}

export const costHtml = ({ texts, visitor, payment }: Previewed, { events }: PaymentPreview) => {
  const [event] = events
  if (event?.type !== 'PaymentCaptured' && event?.type !== 'PaymentRefunded') return ''
  const { fee, interchange, vat } = event.data.charge
  const cost = fee + interchange + vat
  const shown = shownAmount(cost, payment.request.currency, visitor.locale)
  return html`<p class="quiet">${cost === 0 ? texts.costsNothing : filled(texts.costs, shown)}</p>`
}
