import { z } from 'zod'
import { charge, type Charge } from '../accounting/charge.ts'
import type { EventsOf } from '../decider.ts'
import { permissions } from '../people/grant.ts'
import type { Upcast } from '../upcast.ts'
import { statusCodes } from './status.ts'

const minorUnits = z.int()
const instant = z.int()
const uri = z.string().nullable()

const pots = { amount: minorUnits, additionalAmount: minorUnits }

const lineItem = z.object({
  productId: z.string(),
  description: z.string().nullable(),
  quantity: z.string(),
  itemCost: minorUnits,
  /** Exact decimal text if the cost is finer than a minor unit; `itemCost` is truncated. */
  exactItemCost: z.string().optional(),
  total: minorUnits,
  vat: minorUnits.nullable(),
  vatRate: z.string().nullable(),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })),
})

export const shownOn = ['pending', 'ok', 'fail'] as const

const link = z.object({
  uri: z.string(),
  caption: z.string(),
  showOn: z.array(z.enum(shownOn)),
})

/** What merchants may amend (interface 4.3). */
const details = z.object({
  ledger: z.string(),
  callbackUri: uri,
  displayMessageUri: uri,
  links: z.array(link),
  lineItems: z.array(lineItem),
})

/** With all defaults filled in. */
const paymentRequest = z.object({
  merchant: z.string(),
  posId: z.string(),
  posTid: z.string(),
  action: z.enum(['auth', 'sale']),
  currency: z.string(),
  ...pots,
  additionalEdit: z.boolean(),
  allowCredit: z.boolean(),
  customer: z.string().nullable(),
  maxScanAge: z.int(),
  expiresIn: z.int(),
  text: z.string().nullable(),
  successReturnUri: uri,
  failureReturnUri: uri,
  requiredScope: z.string().nullable(),
  requiredScopeText: z.string().nullable(),
  ...details.shape,
})

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
} as const

export const paymentUpcasts = {
  // Version 1 held all details, also unchanged ones; the meaning is the same.
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

export const isPaymentEvent = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { type: PaymentEvent['type'] }> => event.type in paymentEvents
