import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { Pots } from '../../domain/money/pots.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { statusCodes } from '../../domain/payment/status.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { filledText } from '../../application/filled-text.ts'
import type { StoryTexts } from './texts.ts'

/** `40.00 NOK`, or `40.00 + 5.00 NOK` with an addition. */
export const potsInWords = ({ amount, additionalAmount }: Pots, currency: Currency): string => {
  const more = additionalAmount === 0 ? '' : ` + ${formatAmount(additionalAmount, currency)}`
  return `${formatAmount(amount, currency)}${more} ${currency}`
}

const failures = {
  [statusCodes.NOT_FOUND]: 'failed_4004',
  [statusCodes.INSUFFICIENT_FUNDS]: 'failed_5007',
  [statusCodes.AMOUNT_LIMIT_EXCEEDED]: 'failed_5008',
} as const

/** What an event of a payment tells. Long because it has a case for each event. */
export const paymentInWords = (
  event: PaymentEvent,
  currency: Currency,
  texts: StoryTexts,
): string => {
  const idInWords = (id: string | null) => (id === null ? '' : filledText(texts.asId, id))
  switch (event.type) {
    case 'PaymentRequested': {
      const { request, payer, expiresAt } = event.data
      const whom = payer === null ? texts.anybody : filledText(texts.payer, payer)
      const [what, until] = [potsInWords(request, currency), formatDateTime(expiresAt)]
      return filledText(texts.asked, what, whom, request.posId, request.posTid, until)
    }
    case 'PaymentPickedUp':
      return filledText(texts.pickedUp, event.data.payer)
    case 'PaymentAmended':
      return filledText(texts.amended, Object.keys(event.data).join(', ') || texts.nothing)
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt } = event.data
      const added = formatAmount(additionalAmount, currency)
      const onTop = additionalAmount === 0 ? '' : filledText(texts.onTop, added)
      const how = onTop + (credit ? texts.credit : '')
      return filledText(texts.authorized, payer, how, formatDateTime(expiresAt))
    }
    case 'PaymentDeclined':
      return filledText(texts.declined, event.data.payer)
    case 'PaymentFailed':
      return filledText(texts.failed, texts[failures[event.data.statusCode]])
    case 'PaymentAborted':
      return texts.aborted
    case 'PaymentExpired':
      return texts.expired
    case 'PaymentCaptured': {
      const { captureId, charge } = event.data
      const fee = formatAmount(charge.fee + charge.interchange + charge.vat, currency)
      const taken = potsInWords(event.data, currency)
      return filledText(texts.captured, taken, idInWords(captureId), fee)
    }
    case 'PaymentReleased':
      return filledText(texts.released, potsInWords(event.data, currency))
    case 'PaymentRenewed':
      return filledText(texts.renewed, formatDateTime(event.data.expiresAt))
    case 'PaymentAuthorizationExpired':
      return filledText(texts.authorizationExpired, potsInWords(event.data, currency))
    case 'PaymentRefunded': {
      const { refundId, text } = event.data
      const reason = text === null ? '' : filledText(texts.refundText, text)
      const back = potsInWords(event.data, currency)
      return filledText(texts.refunded, back, idInWords(refundId), reason)
    }
  }
}
