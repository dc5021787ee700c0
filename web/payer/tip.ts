import { html } from 'hono/html'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { decimalPoint, numberFormat } from '../ui/formats.ts'
import type { Html } from '../ui/page.ts'
import type { Visitor } from './session.ts'

const percents = [0, 5, 10, 15] as const

/** An amount in the reader's input format. */
const typedLike = (minor: number, currency: string, locale: string): string => {
  const text = formatAmount(minor, currency)
  return text.replace('.', decimalPoint(locale))
}

const shareOf = (amount: number, percent: number): number => Math.round((amount * percent) / 100)

/** The amount of a choice such as `10` (percent); undefined for any other. */
export const chosenTip = (
  { amount, currency }: PaymentRequest,
  choice: string | null,
  locale: string,
): string | undefined => {
  const percent = percents.find((one) => String(one) === choice)
  return percent === undefined ? undefined : typedLike(shareOf(amount, percent), currency, locale)
}

type Tip = {
  readonly request: PaymentRequest
  /** The payment's page, for choices without scripts. */
  readonly path: string
  /** As typed, or the request's amount. */
  readonly typed: string | undefined
  /** In minor units. */
  readonly additionalAmount: number
}

/** The choices and the field of an additional amount. */
export const tipField = (
  { texts, locale }: Visitor,
  { request, path, typed, additionalAmount }: Tip,
): Html => {
  const { amount, currency } = request
  const begin = additionalAmount === 0 ? '' : typedLike(additionalAmount, currency, locale)
  const chosen = percents.find((percent) => shareOf(amount, percent) === additionalAmount)
  const percentText = numberFormat(locale, { style: 'percent' })
  const link = `${path}${path.includes('?') ? '&' : '?'}tip=`
  const current = (isIt: boolean) => (isIt ? html`aria-current="true"` : '')
  return html`<h2 id="tip">${texts.tip}</h2>
    <ul class="chips" aria-labelledby="tip">
      ${percents.map(
        (percent) =>
          html`<li>
            <a
              href="${link}${percent}"
              data-tip="${typedLike(shareOf(amount, percent), currency, locale)}"
              ${current(percent === chosen)}
              >${percent === 0 ? texts.noTip : percentText.format(percent / 100)}</a
            >
          </li>`,
      )}
      <li><a href="#extra" data-tip ${current(chosen === undefined)}>${texts.otherTip}</a></li>
    </ul>
    <label for="extra">${texts.additional}</label>
    <input
      id="extra"
      name="additional_amount"
      inputmode="decimal"
      autocomplete="off"
      maxlength="16"
      value="${typed ?? begin}"
      aria-describedby="extra-problem"
      data-total="${formatAmount(amount, currency)}"
      data-currency="${currency}"
      data-decimals="${decimalsOf(currency)}"
      data-wrong="${texts.wrongAmount}"
      data-large="${texts.tipIsLarge}"
      data-too-large="${texts.refused_additional_amount_is_too_high}"
    />
    <p id="extra-problem" class="wrong small" aria-live="polite" hidden></p>`
}
