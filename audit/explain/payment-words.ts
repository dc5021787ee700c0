import type { Currency } from '../../domain/money/currency.ts'
import {
  formatAmount,
  type Pots,
  type MinorUnits,
  nothing,
  plus,
} from '../../domain/money/money.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { statusCodes } from '../../domain/payment/status.ts'
import type { StoryForms, StoryTexts } from './story-forms.ts'
import { outcomeAt } from '../../domain/payment/payment-outcome.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Instant } from '../../domain/time.ts'

/** The numbers of a payment by their names in its outcome, in minor units. */
export type PaymentNumbers = Readonly<Record<string, MinorUnits>>

export const pair = (name: string, { amount, additionalAmount }: Pots): PaymentNumbers => ({
  [`${name}amount`]: amount,
  [`${name}additional_amount`]: additionalAmount,
})

export const together = (parts: readonly Pots[]): Pots => parts.reduce(plus, nothing)

const disputeNumbers = ({ disputes, disputed }: RequestedPayment): PaymentNumbers => ({
  ...pair('disputed_', disputed),
  dispute_fee: disputes.reduce((sum, { charge }) => sum + charge.fee, 0),
  dispute_fee_vat: disputes.reduce((sum, { charge }) => sum + charge.vat, 0),
})

export const numbersOfPayment = (payment: RequestedPayment, at: Instant): PaymentNumbers => {
  const outcome = outcomeAt('', payment, at)
  const [captures, refunds] = [outcome.captures.flat(), outcome.refunds.flat()]
  const charged = (name: 'fee' | 'interchange' | 'vat'): MinorUnits =>
    [...captures, ...refunds].reduce((sum, { charge }) => sum + charge[name], 0)
  const disputed = payment.disputes.length === 0 ? {} : disputeNumbers(payment)
  return {
    ...pair('', outcome),
    ...pair('auth_', outcome.available),
    ...pair('captured_', together(captures)),
    ...pair('released_', outcome.released),
    ...pair('refunded_', together(refunds)),
    transaction_fee: charged('fee'),
    interchange_fee: charged('interchange'),
    vat: charged('vat'),
    ...disputed,
  }
}

/** `auth_amount 60.00, captured_amount 40.00`: those that are not zero. */
export const numbersInWords = (numbers: PaymentNumbers, currency: Currency): string =>
  Object.entries(numbers)
    .filter(([, minor]) => minor !== 0)
    .map(([name, minor]) => `${name} ${formatAmount(minor, currency)}`)
    .join(', ')

/** `40.00 NOK`, or `40.00 + 5.00 NOK` with an addition. */
export const potsInWords = (
  { amount, additionalAmount }: Pots,
  currency: Currency,
  { sum }: StoryForms,
): string => sum(currency, amount, ...(additionalAmount === 0 ? [] : [additionalAmount]))

const failures = {
  [statusCodes.NOT_FOUND]: 'failed_4004',
  [statusCodes.INSUFFICIENT_FUNDS]: 'failed_5007',
  [statusCodes.AMOUNT_LIMIT_EXCEEDED]: 'failed_5008',
} as const

const yesOrNo = (is: boolean): 'yes' | 'no' => (is ? 'yes' : 'no')

const idOf = (id: string | null) => ({ hasId: yesOrNo(id !== null), id: id ?? '' })

/**
 * What an event of a payment tells.
 * Long because it has a case for each event.
 */
export const paymentInWords = (
  event: PaymentEvent,
  currency: Currency,
  texts: StoryTexts,
): string => {
  switch (event.type) {
    case 'PaymentRequested': {
      const { request, payer, expiresAt } = event.data
      const whom = payer === null ? texts.anybody : texts.payer({ id: payer })
      const [what, until] = [potsInWords(request, currency, texts.as), texts.as.time(expiresAt)]
      return texts.asked({ what, whom, pos: request.posId, order: request.posTid, time: until })
    }
    case 'PaymentPickedUp':
      return texts.pickedUp({ payer: event.data.payer })
    case 'PaymentAmended':
      return texts.amended({ changes: Object.keys(event.data).join(', ') || texts.nothing })
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt } = event.data
      const added = additionalAmount === 0 ? 'none' : texts.as.amount(additionalAmount, currency)
      const time = texts.as.time(expiresAt)
      return texts.authorized({ payer, added, credit: yesOrNo(credit), time })
    }
    case 'PaymentDeclined':
      return texts.declined({ payer: event.data.payer })
    case 'PaymentFailed':
      return texts.failed({ reason: texts[failures[event.data.statusCode]] })
    case 'PaymentAborted':
      return texts.aborted
    case 'PaymentExpired':
      return texts.expired
    case 'PaymentCaptured': {
      const { captureId, charge } = event.data
      const fee = texts.as.amount(charge.fee + charge.interchange + charge.vat, currency)
      const taken = potsInWords(event.data, currency, texts.as)
      return texts.captured({ amount: taken, ...idOf(captureId), fee })
    }
    case 'PaymentReleased':
      return texts.released({ amount: potsInWords(event.data, currency, texts.as) })
    case 'PaymentRenewed':
      return texts.renewed({ time: texts.as.time(event.data.expiresAt) })
    case 'PaymentAuthorizationExpired':
      return texts.authorizationExpired({ amount: potsInWords(event.data, currency, texts.as) })
    case 'PaymentRefunded': {
      const { refundId, text } = event.data
      const reason = { hasText: yesOrNo(text !== null), text: text ?? '' }
      const back = potsInWords(event.data, currency, texts.as)
      return texts.refunded({ amount: back, ...idOf(refundId), ...reason })
    }
    case 'PaymentDisputed': {
      const { dispute, reason, due, charge } = event.data
      const fee = texts.as.amount(charge.fee + charge.vat, currency)
      const said = { number: dispute, reason, time: texts.as.time(due), fee }
      return texts.disputed({ amount: potsInWords(event.data, currency, texts.as), ...said })
    }
    case 'PaymentEvidenceSent': {
      const { dispute, attachments } = event.data
      return texts.evidenceSent({ number: dispute, count: attachments.length })
    }
    case 'PaymentDisputeWon': {
      const { dispute } = event.data
      return texts.disputeWon({
        amount: potsInWords(event.data, currency, texts.as),
        number: dispute,
      })
    }
    case 'PaymentDisputeLost':
      return texts.disputeLost({ number: event.data.dispute })
  }
}
