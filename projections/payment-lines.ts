import type { Charge } from '../domain/accounting/fees.ts'
import type { LineAction, TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { Recorded } from '../domain/events.ts'
import { minus, nothing, potsOf, type Pots } from '../domain/money/money.ts'
import { disputeId } from '../domain/payment/dispute.ts'
import { hasEffect, paymentEffects, type PaymentEvent } from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import type { PaymentRow } from './payment-table.ts'

export type PaymentRecorded = Recorded<PaymentEvent>

/** What a line needs from the payment before its event. */
type Before = Pick<
  PaymentRow,
  | 'tid'
  | 'merchant'
  | 'ledger'
  | 'posId'
  | 'customer'
  | 'currency'
  | 'amount'
  | 'additionalAmount'
  | 'captured'
  | 'credit'
  | 'amountLeft'
  | 'additionalAmountLeft'
> &
  Partial<Pick<PaymentRow, 'posTid'>>

/**
 * The transaction line of an event, given the previous row; some events have none.
 * Long because it has a case for each event whose line is not made by `paymentEffects` alone.
 */
export const transactionLine = (
  before: Before | undefined,
  event: PaymentRecorded,
): TransactionLine | undefined => {
  const { position, metadata, stream, type } = event
  if (type === 'PaymentRequested') {
    const { request } = event.data
    const { merchant, ledger, posId, customer, currency, amount, additionalAmount } = request
    return {
      position,
      merchant,
      ledger,
      posId,
      tid: idIn(stream),
      subId: null,
      at: metadata.at,
      action: 'request',
      credit: false,
      customer,
      currency,
      amount,
      additionalAmount,
      charge: null,
      text: null,
    }
  }
  if (!before || !hasEffect(type, 'line')) return undefined
  const { tid, merchant, ledger, posId, posTid, customer, currency } = before
  const line = (
    action: LineAction,
    { amount, additionalAmount }: Pots,
    subId: string | null = null,
    charge: Charge | null = null,
    at = metadata.at,
    credit = before.credit,
    text: string | null = null,
  ): TransactionLine => ({
    position,
    merchant,
    ledger,
    posId,
    posTid,
    tid,
    actor: metadata.actor,
    subId,
    at,
    action,
    credit,
    customer,
    currency,
    amount,
    additionalAmount,
    charge,
    text,
  })
  switch (type) {
    case 'PaymentAuthorized': {
      const { additionalAmount, credit } = event.data
      const pots = { amount: before.amount, additionalAmount }
      return line('auth', pots, null, null, metadata.at, credit)
    }
    case 'PaymentExpired':
      return line('expire', before, null, null, event.data.expiredAt)
    case 'PaymentAuthorizationExpired': {
      const { amountLeft, additionalAmountLeft } = before
      const isCaptured =
        amountLeft < before.amount || additionalAmountLeft < before.additionalAmount
      const action = isCaptured ? 'release' : 'expire'
      return line(action, event.data, null, null, event.data.expiredAt)
    }
    case 'PaymentCaptured':
      return {
        ...line('capture', event.data, event.data.captureId, event.data.charge),
        isFirst: before.captured === 0,
      }
    case 'PaymentRefunded': {
      const { refundId, charge, text } = event.data
      const pots = minus(nothing, potsOf(event.data))
      return line('refund', pots, refundId, charge, metadata.at, before.credit, text)
    }
    case 'PaymentDisputed': {
      const { dispute, charge, reason } = event.data
      const [pots, id] = [minus(nothing, potsOf(event.data)), disputeId(tid, dispute)]
      return line('dispute', pots, id, charge, metadata.at, before.credit, reason)
    }
    case 'PaymentDisputeWon': {
      const { dispute, charge } = event.data
      return line('dispute', event.data, disputeId(tid, dispute), charge)
    }
    default:
      return line(paymentEffects[type].line, { ...before, ...event.data })
  }
}
