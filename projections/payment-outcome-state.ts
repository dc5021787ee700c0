import type { Currency } from '../domain/money/currency.ts'
import type { MinorUnits } from '../domain/money/money.ts'
import { nothing, type Pots } from '../domain/money/pots.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import { statusCodes, type PaymentStatus } from '../domain/payment/status.ts'
import type { Permissions } from '../domain/people/grant.ts'
import type { Pieces } from '../domain/pieces.ts'
import type { Instant } from '../domain/time.ts'

/** Fees and interchange are what it cost the merchant, without VAT; on refunds zero or below. */
type CaptureMade = Pots & {
  readonly id: string | null
  readonly at: Instant
  readonly fee: MinorUnits
  readonly interchange: MinorUnits
}
type RefundMade = CaptureMade & { readonly text: string | null }

/** What has become of a payment; all amounts in minor units of its currency. */
export type PaymentOutcome = {
  readonly tid: string
  readonly merchant: string
  readonly posId: string
  readonly posTid: string
  readonly customer: string | null
  /** For whom it is, or who has answered it; null as long as anyone may. */
  readonly payer: string | null
  /** Granted along with the authorisation. */
  readonly permissions: Permissions | null
  readonly currency: Currency
  readonly ledger: string
  readonly status: PaymentStatus
  readonly statusCode: number
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  readonly credit: boolean
  /** Authorised and not yet captured or released. */
  readonly available: Pots
  readonly released: Pots
  readonly captures: Pieces<CaptureMade>
  readonly refunds: Pieces<RefundMade>
  readonly modifiedAt: Instant
  /** End of the current status, or of the last one that could end. */
  readonly expiresAt: Instant
  /** `expiresAt` while the payment can still expire, else null. */
  readonly deadline: Instant | null
  /** Position of its latest line in the log, and the ledger that the line stands in: they name its report. */
  readonly linePosition: number
  readonly lineLedger: string
  /** Of the last event of its stream that is folded in. */
  readonly revision: number
}

export const requested = (
  tid: string,
  { request, payer, expiresAt }: Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'],
  at: Instant,
  position: number,
): PaymentOutcome => {
  const { merchant, posId, posTid, customer, currency, ledger, amount, additionalAmount } = request
  return {
    tid,
    merchant,
    posId,
    posTid,
    customer,
    payer,
    permissions: null,
    currency,
    ledger,
    status: 'pending',
    statusCode: statusCodes.PENDING,
    amount,
    additionalAmount,
    credit: false,
    available: nothing,
    released: nothing,
    captures: [],
    refunds: [],
    modifiedAt: at,
    expiresAt,
    deadline: expiresAt,
    linePosition: position,
    lineLedger: ledger,
    revision: 0,
  }
}
