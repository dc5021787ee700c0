import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { isNothing, minus } from '../../../domain/money/pots.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import type { PortalVisitor } from '../page.ts'

export const paymentActions = ['capture', 'release', 'renew', 'refund'] as const
export type PaymentAction = (typeof paymentActions)[number]

/** Whether it can be done with a part of the amount. */
export const isPart = (action: PaymentAction): action is 'capture' | 'refund' =>
  action === 'capture' || action === 'refund'

const isPossible = (
  action: PaymentAction,
  { status, captured, refunded }: RequestedPayment,
): boolean => {
  switch (action) {
    case 'capture':
    case 'renew':
      return status === 'auth'
    case 'release':
      return status === 'auth' || status === 'pending'
    case 'refund':
      return !isNothing(minus(captured, refunded))
  }
}

/** What somebody can do with a payment now, as their role allows. */
export const possibleActions = (
  { me }: Pick<PortalVisitor, 'me'>,
  payment: RequestedPayment,
): readonly PaymentAction[] =>
  paymentActions.filter((action) => mayDo(me.terms, action) && isPossible(action, payment))
