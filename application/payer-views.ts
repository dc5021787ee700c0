import { merchants, payments, permissionRequests } from '../domain/aggregates.ts'
import { outcomeAt, type PaymentOutcome } from '../domain/payment/payment-outcome.ts'
import type { RequestedPayment } from '../domain/payment/payment-state.ts'
import { permissionAt, type RequestedPermission } from '../domain/people/permission.ts'
import { isDisabled } from '../domain/register.ts'
import type { Instant } from '../domain/time.ts'
import type { Find } from './find-state.ts'

/** How a shop presents itself to payers. */
type Shop = {
  readonly shop: string
  /** SHA-256 of its logo. */
  readonly logo: string | null
  /** Name of the point of sale. */
  readonly pos: string | null
}

/** A disabled shop gets no payments or permissions. */
type ShopState = { readonly isShopDisabled: boolean }

type Needs = {
  readonly find: Find
  readonly shopOf: (merchant: string, posId: string) => Shop
}

type PayerPayment = Pick<RequestedPayment, 'request' | 'details' | 'payer'> &
  Shop &
  ShopState & { readonly tid: string; readonly outcome: PaymentOutcome }

export type PayerPermission = RequestedPermission & ShopState & { readonly rid: string }

/** Requests at a moment as payers see them, independent of who the payer is. */
export const payerViews = ({ find, shopOf }: Needs) => ({
  findRequest: async (tid: string, at: Instant): Promise<PayerPayment | undefined> => {
    const payment = await find(payments, tid, 'log')
    if (payment.status === 'unrequested') return undefined
    const { request, details, payer } = payment
    const outcome = outcomeAt(tid, payment, at)
    const isShopDisabled = isDisabled(await find(merchants, request.merchant))
    const shop = { ...shopOf(request.merchant, request.posId), isShopDisabled }
    return { tid, request, details, payer, outcome, ...shop }
  },
  findPayerPermission: async (rid: string, at: Instant): Promise<PayerPermission | undefined> => {
    const permission = await find(permissionRequests, rid, 'log')
    if (permission.status === 'unrequested') return undefined
    const isShopDisabled = isDisabled(await find(merchants, permission.request.merchant))
    return { rid, ...permissionAt(permission, at), isShopDisabled }
  },
})

export type PayerViews = ReturnType<typeof payerViews>
