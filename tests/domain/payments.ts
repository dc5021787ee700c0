import { noFees } from '../../domain/accounting/fees.ts'
import type {
  PaymentCommand,
  RequestFacts,
  RequestedAmounts,
} from '../../domain/payment/payment-command.ts'
import type { LineItem, PaymentEvent, PaymentRequest } from '../../domain/payment/payment-events.ts'

/** Saturday morning, with milliseconds that no deadline may keep. */
export const morning = Date.UTC(2026, 10, 21, 9, 30, 0, 123)

export const hours = 3_600_000
export const threeDays = 72 * hours

/** The instants are whole seconds: the displayed second is exact. */
export const requestEnds = Date.UTC(2026, 10, 21, 15, 30)
export const authorizationEnds = Date.UTC(2026, 10, 24, 9, 30)

/** 100.00 NOK and a tip of 10.00, requested from alice, who may not change the tip. */
export const request: PaymentRequest = {
  merchant: 'sandbox',
  posId: 'till-1',
  posTid: 'receipt-1',
  action: 'auth',
  currency: 'NOK',
  amount: 10_000,
  additionalAmount: 1000,
  additionalEdit: false,
  allowCredit: false,
  customer: '+4799999901',
  maxScanAge: 60,
  expiresIn: 21_600,
  text: 'Lunch',
  ledger: 'default',
  callbackUri: 'https://shop.example/callback',
  displayMessageUri: null,
  successReturnUri: null,
  failureReturnUri: null,
  requiredScope: null,
  requiredScopeText: null,
  links: [],
  lineItems: [],
}

export const lineItem = (total: number): LineItem => ({
  productId: 'soup',
  description: null,
  quantity: '1',
  itemCost: total,
  total,
  vat: null,
  vatRate: null,
  metadata: [],
})

const facts: RequestFacts = { payer: { id: 'alice' }, posIsKnown: true, ledgerIsOpen: true }

export const commands = {
  ask: (
    changes: Partial<PaymentRequest> = {},
    otherFacts: Partial<RequestFacts> = {},
    at = morning,
  ): PaymentCommand => ({
    type: 'RequestPayment',
    at,
    request: { ...request, ...changes },
    facts: { ...facts, ...otherFacts },
  }),
  accept: (
    wish: {
      additionalAmount?: number | null
      isConfirmed?: boolean
      credit?: boolean
      payer?: string
    } = {},
    at = morning,
  ): PaymentCommand => ({
    type: 'AuthorizePayment',
    at,
    payer: 'alice',
    additionalAmount: null,
    credit: false,
    ...wish,
  }),
  decline: (payer = 'alice', at = morning): PaymentCommand => ({
    type: 'DeclinePayment',
    at,
    payer,
  }),
  refuseFunds: (statusCode: 5007 | 5008 = 5007, at = morning): PaymentCommand => ({
    type: 'RefuseFunds',
    at,
    payer: 'alice',
    statusCode,
  }),
  capture: (wanted: RequestedAmounts, at = morning): PaymentCommand => ({
    type: 'CapturePayment',
    at,
    wanted,
    terms: noFees,
  }),
  release: (at = morning): PaymentCommand => ({ type: 'ReleasePayment', at }),
  renew: (at = morning): PaymentCommand => ({ type: 'RenewPayment', at }),
  refund: (wanted: RequestedAmounts, text: string | null = null): PaymentCommand => ({
    type: 'RefundPayment',
    wanted,
    text,
    terms: noFees,
  }),
  expire: (at: number): PaymentCommand => ({ type: 'ExpirePayment', at }),
}

const noCharge = { fee: 0, interchange: 0, vat: 0, taxcode: noFees.taxcode }

/** A part in NOK: amounts from both pots. */
export const part = (
  id: string | null,
  amount: number,
  additionalAmount = 0,
): RequestedAmounts => ({
  id,
  currency: 'NOK',
  amount,
  additionalAmount,
})

export const events = {
  requested: (
    changes: Partial<PaymentRequest> = {},
    payer: string | null = 'alice',
    expiresAt = requestEnds,
  ): PaymentEvent => ({
    type: 'PaymentRequested',
    data: { request: { ...request, ...changes }, payer, expiresAt },
  }),
  authorized: (
    terms: Partial<Extract<PaymentEvent, { type: 'PaymentAuthorized' }>['data']> = {},
  ): PaymentEvent => ({
    type: 'PaymentAuthorized',
    data: {
      payer: 'alice',
      additionalAmount: 1000,
      credit: false,
      expiresAt: authorizationEnds,
      ...terms,
    },
  }),
  declined: (payer = 'alice'): PaymentEvent => ({ type: 'PaymentDeclined', data: { payer } }),
  failed: (statusCode: 4004 | 5007 | 5008): PaymentEvent => ({
    type: 'PaymentFailed',
    data: { statusCode },
  }),
  aborted: { type: 'PaymentAborted', data: {} } as PaymentEvent,
  expired: { type: 'PaymentExpired', data: { expiredAt: requestEnds } } as PaymentEvent,
  captured: (captureId: string | null, amount: number, additionalAmount = 0): PaymentEvent => ({
    type: 'PaymentCaptured',
    data: { captureId, amount, additionalAmount, charge: noCharge },
  }),
  released: (amount: number, additionalAmount: number): PaymentEvent => ({
    type: 'PaymentReleased',
    data: { amount, additionalAmount },
  }),
  renewed: (expiresAt: number): PaymentEvent => ({ type: 'PaymentRenewed', data: { expiresAt } }),
  authorizationExpired: (amount: number, additionalAmount: number): PaymentEvent => ({
    type: 'PaymentAuthorizationExpired',
    data: { expiredAt: authorizationEnds, amount, additionalAmount },
  }),
  refunded: (
    refundId: string | null,
    amount: number,
    additionalAmount = 0,
    text: string | null = null,
  ): PaymentEvent => ({
    type: 'PaymentRefunded',
    data: { refundId, amount, additionalAmount, text, charge: noCharge, returnsFees: false },
  }),
}
