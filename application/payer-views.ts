import { payments, permissionRequests } from '../domain/aggregates.ts'
import { outcomeAt, type PaymentOutcome } from '../domain/payment/payment-outcome.ts'
import type { RequestedPayment } from '../domain/payment/payment-state.ts'
import { permissionAt, type RequestedPermission } from '../domain/people/permission.ts'
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

type Needs = {
  readonly find: Find
  readonly shopOf: (merchant: string, posId: string) => Shop
}

type PayerPayment = Pick<RequestedPayment, 'request' | 'details' | 'payer'> &
  Shop & { readonly tid: string; readonly outcome: PaymentOutcome }

export type PayerPermission = RequestedPermission & { readonly rid: string }

/** Requests as payers see them at a moment, whoever the payer is. */
export const payerViews = ({ find, shopOf }: Needs) => ({
  findRequest: async (tid: string, at: Instant): Promise<PayerPayment | undefined> => {
    const payment = await find(payments, tid, 'log')
    if (payment.status === 'unrequested') return undefined
    const { request, details, payer } = payment
    const outcome = outcomeAt(tid, payment, at)
    return { tid, request, details, payer, outcome, ...shopOf(request.merchant, request.posId) }
  },
  findPayerPermission: async (rid: string, at: Instant): Promise<PayerPermission | undefined> => {
    const permission = await find(permissionRequests, rid, 'log')
    return permission.status === 'unrequested'
      ? undefined
      : { rid, ...permissionAt(permission, at) }
  },
})

export type PayerViews = ReturnType<typeof payerViews>
