import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { Pots } from '../../domain/money/pots.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { statusCodes } from '../../domain/payment/status.ts'
import { formatDateTime } from '../date-time.ts'

/** `40.00 NOK`, or `40.00 + 5.00 NOK` with what was added. */
export const potsInWords = ({ amount, additionalAmount }: Pots, currency: Currency): string => {
  const more = additionalAmount === 0 ? '' : ` + ${formatAmount(additionalAmount, currency)}`
  return `${formatAmount(amount, currency)}${more} ${currency}`
}

const idInWords = (id: string | null): string => (id === null ? '' : ` as ${id}`)

const failures: Readonly<Record<number, string>> = {
  [statusCodes.NOT_FOUND]: 'there is no such payer',
  [statusCodes.INSUFFICIENT_FUNDS]: 'the funds do not suffice',
  [statusCodes.AMOUNT_LIMIT_EXCEEDED]: 'the amount is above the limit of the payer',
}

/** What an event of a payment tells. Long because it has a case for each event. */
export const paymentInWords = (event: PaymentEvent, currency: Currency): string => {
  switch (event.type) {
    case 'PaymentRequested': {
      const { request, payer, expiresAt } = event.data
      const whom = payer === null ? 'anybody, or a payer yet to be found' : `payer ${payer}`
      const what = `${potsInWords(request, currency)} is asked of ${whom}`
      return `${what} at ${request.posId} as ${request.posTid}, until ${formatDateTime(expiresAt)}`
    }
    case 'PaymentPickedUp':
      return `payer ${event.data.payer} has scanned the code`
    case 'PaymentAmended':
      return `the merchant changes ${Object.keys(event.data).join(', ') || 'nothing'}`
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt } = event.data
      const added = additionalAmount === 0 ? '' : ` and ${formatAmount(additionalAmount, currency)}`
      const how = `${added === '' ? '' : `${added} on top`}${credit ? ', on credit' : ''}`
      return `payer ${payer} accepts${how}; it can be captured until ${formatDateTime(expiresAt)}`
    }
    case 'PaymentDeclined':
      return `payer ${event.data.payer} declines`
    case 'PaymentFailed':
      return `it fails: ${failures[event.data.statusCode]}`
    case 'PaymentAborted':
      return 'the merchant withdraws the request before it is answered'
    case 'PaymentExpired':
      return 'nobody has answered in time'
    case 'PaymentCaptured': {
      const { captureId, charge } = event.data
      const fee = formatAmount(charge.fee + charge.interchange + charge.vat, currency)
      const taken = `${potsInWords(event.data, currency)} is captured${idInWords(captureId)}`
      return `${taken}, for ${fee} of fees`
    }
    case 'PaymentReleased':
      return `what is left, ${potsInWords(event.data, currency)}, is released`
    case 'PaymentRenewed':
      return `the authorisation is renewed until ${formatDateTime(event.data.expiresAt)}`
    case 'PaymentAuthorizationExpired':
      return `its time is over; what is left, ${potsInWords(event.data, currency)}, is released`
    case 'PaymentRefunded': {
      const { refundId, text } = event.data
      const reason = text === null ? '' : `: “${text}”`
      return `${potsInWords(event.data, currency)} is refunded${idInWords(refundId)}${reason}`
    }
  }
}
