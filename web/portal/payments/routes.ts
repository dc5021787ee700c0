import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import { portalPages } from '../pages.ts'
import { paymentActionRoutes } from './action.ts'
import type { PaymentActionNeeds } from './action-page.ts'
import { paymentCsvRoute, type PaymentCsvNeeds } from './csv.ts'
import { paymentFileRoutes, type PaymentFileNeeds } from './files.ts'
import { paymentListRoute } from './list.ts'
import { livePaymentRoutes, type LivePaymentNeeds } from './live.ts'
import { paymentPageRoute } from './one.ts'

type PortalPaymentNeeds = PortalNeeds &
  LivePaymentNeeds &
  PaymentCsvNeeds &
  PaymentActionNeeds &
  PaymentFileNeeds

/** Payments, as the staff of a merchant see them (interface 18). */
export const portalPaymentRoutes = (needs: PortalPaymentNeeds, visits: Visits): Route[] => {
  const pages = portalPages(needs, visits)
  return [
    paymentListRoute(needs, pages),
    paymentCsvRoute(needs, pages),
    paymentPageRoute(needs, pages),
    ...paymentActionRoutes(needs, pages, visits),
    ...paymentFileRoutes(needs, pages),
    ...livePaymentRoutes(needs, pages),
  ]
}
