import { z } from 'zod'
import { charge, type Charge } from '../accounting/fees.ts'
import type { LineAction } from '../accounting/transaction-line.ts'
import type { EventsOf } from '../decider.ts'
import { attachmentEvents } from '../merchant/attachment.ts'
import { permissions } from '../people/grant.ts'
import { instant } from '../time.ts'
import type { Upcast } from '../upcast.ts'
import { details, lineItem, minorUnits, paymentRequest, pots } from './payment-details.ts'
import { statusCodes, type StatusCode } from './status.ts'

/** Amounts in minor units, instants in milliseconds. */
export const paymentEvents = {
  PaymentRequested: z.object({
    request: paymentRequest,
    /** Null when anyone may answer or the customer is unknown. */
    payer: z.string().nullable(),
    /** Set when a scan of it will name the payer. */
    shortlink: z.string().optional(),
    expiresAt: instant,
  }),
  PaymentPickedUp: z.object({ payer: z.string(), scan: z.string() }),
  /** Changed fields only. */
  PaymentAmended: details.partial(),
  PaymentAuthorized: z.object({
    payer: z.string(),
    additionalAmount: minorUnits,
    credit: z.boolean(),
    expiresAt: instant,
    /** Granted for the required scope. */
    permissions: permissions.optional(),
  }),
  PaymentDeclined: z.object({ payer: z.string() }),
  /** Unknown payer, or funds refused. */
  PaymentFailed: z.object({
    statusCode: z.literal([
      statusCodes.NOT_FOUND,
      statusCodes.INSUFFICIENT_FUNDS,
      statusCodes.AMOUNT_LIMIT_EXCEEDED,
    ]),
  }),
  PaymentAborted: z.object({}),
  PaymentExpired: z.object({ expiredAt: instant }),
  PaymentCaptured: z.object({ captureId: z.string().nullable(), ...pots, charge }),
  PaymentReleased: z.object(pots),
  PaymentRenewed: z.object({ expiresAt: instant }),
  PaymentAuthorizationExpired: z.object({ expiredAt: instant, ...pots }),
  PaymentRefunded: z.object({
    refundId: z.string().nullable(),
    ...pots,
    text: z.string().nullable(),
    charge,
    /** Whether the refund returned its share of the charges. */
    returnsFees: z.boolean(),
  }),
  /** The operator took a captured amount back; numbered from 1 in each payment. */
  PaymentDisputed: z.object({
    dispute: z.int().positive(),
    currency: z.string(),
    ...pots,
    reason: z.string(),
    /** Deadline of the merchant's evidence. */
    due: instant,
    charge,
  }),
  PaymentEvidenceSent: z.object({
    dispute: z.int().positive(),
    ...attachmentEvents.AttachmentsUploaded.shape,
  }),
  /** Gives the amount back; the fee stays. */
  PaymentDisputeWon: z.object({ dispute: z.int().positive(), ...pots, charge }),
  PaymentDisputeLost: z.object({ dispute: z.int().positive() }),
} as const

export const paymentUpcasts = {
  // Version 1 held all details, including unchanged ones; the meaning is the same.
  PaymentAmended: [(data) => data],
  // Version 1 refunds returned charges exactly when a charge is not zero.
  PaymentRefunded: [
    (data) => {
      const { charge } = data as { readonly charge?: Partial<Charge> }
      const returnsFees = [charge?.fee, charge?.interchange, charge?.vat].some((sum) => sum !== 0)
      return { ...(data as object), returnsFees }
    },
    // Version 2 refunds had no callback.
    (data) => data,
  ],
} satisfies Partial<Record<keyof typeof paymentEvents, readonly Upcast[]>>

export type LineItem = z.output<typeof lineItem>

export type PaymentRequest = z.output<typeof paymentRequest>

export type PaymentDetails = z.output<typeof details>

export type RefusalOfFunds = z.output<typeof paymentEvents.PaymentFailed>['statusCode']

export type PaymentEvent = EventsOf<typeof paymentEvents>

/** Callbacks about payments (interface 4.4), and their descriptions. */
export const paymentCallbacks = {
  payment_authorized: 'The payer has accepted, be it an auth or a sale.',
  payment_captured: 'A part has been captured, or all that was left.',
  payment_auth_released: 'The merchant has released what was left of the authorisation.',
  payment_aborted_by_customer:
    'The payer has declined, the funds were refused, or there is no such payer: ' +
    '`status_code` says which.',
  payment_aborted_by_merchant: 'The merchant has aborted the request before it was answered.',
  payment_authorization_renewed: 'The authorisation has been renewed: `date_expires` is a new one.',
  payment_authorization_expired:
    'The authorisation has expired with something left; what was captured stands.',
  payment_refunded: 'Something captured has been paid back.',
  payment_request_expired: 'Nobody has answered the payment request in time.',
  dispute_opened: 'A captured amount is disputed: it is taken back until the dispute is closed.',
  dispute_closed: 'A dispute is closed: `state` says whether it is won or lost.',
} as const

type Effects = {
  /** Adds a line to a ledger, with its own amounts or else those of the request. */
  readonly line?: LineAction
  readonly callback?: keyof typeof paymentCallbacks
  /** Moves approved money; the funding source is notified. */
  readonly funding?: 'capture' | 'release' | 'refund'
  /** The payment can no longer be answered or captured. Its status, unless the event has one. */
  readonly ends?: StatusCode
  /** The merchant actions that may have caused it. */
  readonly causedBy?: readonly string[]
}

/** The effects of each event. Lines, callbacks and read models derive from this table. */
export const paymentEffects = {
  PaymentRequested: { line: 'request' },
  PaymentPickedUp: {},
  PaymentAmended: {},
  PaymentAuthorized: { line: 'auth', callback: 'payment_authorized' },
  PaymentDeclined: {
    line: 'fail',
    callback: 'payment_aborted_by_customer',
    ends: statusCodes.REJECTED,
  },
  PaymentFailed: {
    line: 'fail',
    callback: 'payment_aborted_by_customer',
    ends: statusCodes.NOT_FOUND,
  },
  PaymentAborted: {
    line: 'abort',
    callback: 'payment_aborted_by_merchant',
    ends: statusCodes.ABORTED,
    causedBy: ['release', 'abort'],
  },
  PaymentExpired: {
    line: 'expire',
    callback: 'payment_request_expired',
    ends: statusCodes.REQUEST_EXPIRED,
  },
  PaymentCaptured: {
    line: 'capture',
    callback: 'payment_captured',
    funding: 'capture',
    causedBy: ['capture'],
  },
  PaymentReleased: {
    line: 'release',
    callback: 'payment_auth_released',
    funding: 'release',
    ends: statusCodes.ABORTED,
    causedBy: ['release', 'abort'],
  },
  PaymentRenewed: { callback: 'payment_authorization_renewed', causedBy: ['reauth'] },
  PaymentAuthorizationExpired: {
    line: 'release',
    callback: 'payment_authorization_expired',
    funding: 'release',
    ends: statusCodes.AUTH_EXPIRED,
  },
  PaymentRefunded: {
    line: 'refund',
    callback: 'payment_refunded',
    funding: 'refund',
    causedBy: ['refund'],
  },
  PaymentDisputed: { line: 'dispute', callback: 'dispute_opened' },
  PaymentEvidenceSent: {},
  PaymentDisputeWon: { line: 'dispute', callback: 'dispute_closed' },
  PaymentDisputeLost: { callback: 'dispute_closed' },
} as const satisfies Readonly<Record<PaymentEvent['type'], Effects>>

type AllEffects = typeof paymentEffects

export type WithEffect<Name extends keyof Effects> = {
  [Type in keyof AllEffects]: AllEffects[Type] extends { readonly [N in Name]: unknown }
    ? Type
    : never
}[keyof AllEffects]

export const hasEffect = <Name extends keyof Effects>(
  type: PaymentEvent['type'],
  name: Name,
): type is WithEffect<Name> => name in paymentEffects[type]

type ReleaseType = {
  [Type in WithEffect<'funding'>]: AllEffects[Type]['funding'] extends 'release' ? Type : never
}[WithEffect<'funding'>]

/** Whether it releases authorised money that was not captured. */
export const isRelease = <Event extends { readonly type: PaymentEvent['type'] }>(
  event: Event,
): event is Extract<Event, { type: ReleaseType }> => {
  const { funding }: Effects = paymentEffects[event.type]
  return funding === 'release'
}

export const isPaymentEvent = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { type: PaymentEvent['type'] }> => event.type in paymentEvents
