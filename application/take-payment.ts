import { defaultLedger } from '../domain/accounting/ledger.ts'
import { pointsOfSale } from '../domain/aggregates.ts'
import type { MinorUnits } from '../domain/money/money.ts'
import type { PaymentRequest } from '../domain/payment/payment-events.ts'
import { within } from '../domain/stream.ts'
import type { Seconds } from '../domain/time.ts'
import type { Context, Deciding } from './handle.ts'
import { isPosKnown } from './request-payment.ts'

/** The point of sale of payments that are taken in the portal. */
export const portalPos = 'portal'

/** A payment that somebody of the staff takes. */
export type TakenPayment = {
  readonly merchant: string
  readonly posId: string
  readonly posTid: string
  readonly currency: string
  readonly amount: MinorUnits
  readonly text: string | null
  /** Digits with the country code; null for whoever has the link. */
  readonly phone: string | null
  readonly expiresIn: Seconds
  /** Whether it is only reserved, and captured by hand. */
  readonly isReserved: boolean
}

const none = {
  additionalAmount: 0,
  additionalEdit: false,
  allowCredit: false,
  maxScanAge: 0,
  callbackUri: null,
  displayMessageUri: null,
  successReturnUri: null,
  failureReturnUri: null,
  requiredScope: null,
  requiredScopeText: null,
  lineItems: [],
  links: [],
}

export const takenRequest = ({ phone, isReserved, ...taken }: TakenPayment): PaymentRequest => ({
  ...none,
  ...taken,
  action: isReserved ? 'auth' : 'sale',
  customer: phone === null ? null : `+${phone}`,
  ledger: defaultLedger,
  ...(!isReserved && { capturesAtOnce: true }),
})

type Needs = Deciding & {
  readonly requestPayment: (request: PaymentRequest, context: Context) => Promise<string>
}

/** The portal's point of sale is registered on first use. */
export const openPortalPos =
  ({ handle, find }: Deciding) =>
  async (merchant: string, posId: string, context: Context): Promise<void> => {
    if (posId !== portalPos || (await isPosKnown({ find }, merchant, posId))) return
    const data = { merchant, id: posId, name: 'Portal', type: 'mobile', location: null } as const
    await handle(pointsOfSale, within(merchant, posId), { type: 'Register', data }, context)
  }

/** Requests it as a till does. */
export const takePayment =
  ({ handle, find, requestPayment }: Needs) =>
  async (taken: TakenPayment, context: Context): Promise<string> => {
    await openPortalPos({ handle, find })(taken.merchant, taken.posId, context)
    return requestPayment(takenRequest(taken), context)
  }

export type TakePayment = ReturnType<typeof takePayment>
