import { html } from 'hono/html'
import { nothing, type Pots } from '../../../domain/money/pots.ts'
import { available, type RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { plainAmounts, shownAmount } from '../../ui/money.ts'
import type { Html } from '../../ui/page.ts'
import { headedTable, scrolling } from '../parts.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

/** In the order of the picture: authorised = captured + released + available. */
const parts = ['captured', 'released', 'available'] as const
type Sums = Readonly<Record<(typeof parts)[number] | 'authorized' | 'refunded', Pots>>
type Pot = keyof Pots

const sumsOf = (payment: RequestedPayment): Sums => {
  const { authorized, captured, released, refunded } = payment
  const left = payment.status === 'auth' ? available(payment) : nothing
  return { authorized, captured, released, available: left, refunded }
}

const width = 640
const barHeight = 34
const potHeight = 74

const barHtml = (sums: Sums, pot: Pot, top: number, label: string): Html => {
  const whole = sums.authorized[pot]
  const scaled = (minor: number) => (whole === 0 ? 0 : (minor / whole) * width)
  let left = 0
  const segments = parts.map((part) => {
    const size = scaled(sums[part][pot])
    const at = left
    left += size
    return size === 0
      ? ''
      : html`<rect
          class="pot-${part}"
          x="${at.toFixed(2)}"
          y="${top + 22}"
          width="${size.toFixed(2)}"
          height="${barHeight}"
        />`
  })
  const back = scaled(sums.refunded[pot])
  return html`<text class="pot-label" x="0" y="${top + 14}">${label}</text>
    <rect class="pot-ground" x="0" y="${top + 22}" width="${width}" height="${barHeight}" rx="6" />
    <g clip-path="url(#pot-${pot})">${segments}</g>
    ${
      back === 0
        ? ''
        : html`<rect
            class="pot-refunded"
            x="0"
            y="${top + 22 + barHeight - 10}"
            width="${back.toFixed(2)}"
            height="10"
          />`
    }
    <clipPath id="pot-${pot}">
      <rect x="0" y="${top + 22}" width="${width}" height="${barHeight}" rx="6" />
    </clipPath>`
}

const rows = ['authorized', ...parts, 'refunded'] as const

/** The two pots as a picture, with the same numbers as a table below. */
export const potsHtml = (
  payment: RequestedPayment,
  texts: Catalogue['payments'],
  locale: string,
): Html => {
  const sums = sumsOf(payment)
  const { currency } = payment.request
  const shown = (minor: number) => shownAmount(minor, currency, locale)
  const plain = plainAmounts(locale, currency)
  const hasTip = sums.authorized.additionalAmount > 0
  const total = ({ amount, additionalAmount }: Pots) => amount + additionalAmount
  const says = rows.map((name) => `${texts[name]} ${shown(total(sums[name]))}`).join(', ')
  const withTip = hasTip ? [{ number: texts.additional }, { number: texts.total }] : []
  const heads = ['', { number: `${texts.amount}, ${currency}` }, ...withTip]
  const lines = rows.map((name) => {
    const pots = sums[name]
    return html`<tr>
      <th scope="row"><span class="swatch ${name}"></span>${texts[name]}</th>
      <td class="number">${plain(pots.amount)}</td>
      ${hasTip ? html`<td class="number">${plain(pots.additionalAmount)}</td>` : ''}
      ${hasTip ? html`<td class="number">${plain(total(pots))}</td>` : ''}
    </tr>`
  })
  const height = hasTip ? 2 * potHeight : potHeight
  return html`<svg class="pots" viewBox="0 0 ${width} ${height}" role="img" aria-label="${says}">
      ${barHtml(sums, 'amount', 0, texts.amount)}
      ${hasTip ? barHtml(sums, 'additionalAmount', potHeight, texts.additional) : ''}
    </svg>
    ${scrolling(texts.picture, headedTable('pot-sums grid', heads, lines))}`
}
