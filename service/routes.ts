import { takingAsOf, type AsOfNeeds } from '../http/as-of.ts'
import { documented, type DocsNeeds } from '../web/docs/routes.ts'
import { auditRoutes } from '../web/auditor/routes.tsx'
import { attachmentRoutes } from '../http/merchant/attachment.ts'
import { callbackRoutes } from '../http/merchant/callback.ts'
import { callbackKeyRoutes } from '../http/merchant/callback-keys.ts'
import { callbackFeedRoute } from '../http/merchant/callback-feed.ts'
import { callbackSecretRoutes } from '../http/merchant/callback-secret.ts'
import { disputeRoutes } from '../http/merchant/dispute.ts'
import { eventDestinationRoutes } from '../http/merchant/event-destination.ts'
import { feeScheduleRoute } from '../http/merchant/fee-schedule.ts'
import { ledgerRoutes } from '../http/merchant/ledger.ts'
import { logRoutes } from '../http/merchant/log.ts'
import { merchantRoutes } from '../http/merchant/merchant.ts'
import { paymentRoutes } from '../http/merchant/payment.ts'
import { paymentListRoute } from '../http/merchant/payment-list.ts'
import { permissionRoutes } from '../http/merchant/permission.ts'
import { posRoutes, statusCodeRoutes } from '../http/merchant/pos.ts'
import { receiptRoutes } from '../http/merchant/receipt.ts'
import { reportRoutes } from '../http/merchant/report.ts'
import { sandboxPermissionRoutes, sandboxPayerRoutes } from '../http/merchant/sandbox-payer.ts'
import { sandboxRoutes } from '../http/merchant/sandbox.ts'
import { lastSettlementRoute, settlementRoutes } from '../http/merchant/settlement.ts'
import { shortlinkRoutes } from '../http/merchant/shortlink.ts'
import { transactionRoutes } from '../http/merchant/transaction.ts'
import { userRoutes } from '../http/merchant/user.ts'
import { applicationRoutes } from '../http/oauth/application.ts'
import { operatorRoutes } from '../web/operator/routes.tsx'
import { peopleRoutes } from './people-routes.ts'
import { portalRoutes } from '../web/portal/routes.ts'
import { claimingChannels, pusherAuthRoute } from '../http/pusher/channel-access.ts'
import type { NeedsOf, Route } from '../http/route.ts'
import { securityTextRoute } from '../http/service.ts'
import { metricsRoute, serviceRoutes } from '../http/service.ts'
import { fewStreamsAtOnce } from '../http/text-stream.ts'
import { transparencyRoutes } from '../http/transparency.ts'

const ofSlice =
  <Slice extends string, Needs>(slice: Slice, make: (needs: Needs) => Route | Route[]) =>
  (needs: Readonly<Record<Slice, Needs>>): Route[] =>
    [make(needs[slice])].flat()

/** The merchant interface in the order of interface 16. */
const ofMerchants = [
  ofSlice('accounting', lastSettlementRoute),
  ofSlice('accounting', ledgerRoutes),
  ofSlice('accounting', reportRoutes),
  ofSlice('merchants', merchantRoutes),
  ofSlice('payments', paymentRoutes),
  ofSlice('payments', attachmentRoutes),
  ofSlice('payments', disputeRoutes),
  ofSlice('people', permissionRoutes),
  ofSlice('merchants', posRoutes),
  ofSlice('accounting', settlementRoutes),
  ofSlice('merchants', shortlinkRoutes),
  ofSlice('payments', statusCodeRoutes),
  ofSlice('merchants', userRoutes),
  ofSlice('accounting', logRoutes),
  ofSlice('accounting', feeScheduleRoute),
  ofSlice('accounting', transactionRoutes),
  ofSlice('payments', paymentListRoute),
  ofSlice('transparency', receiptRoutes),
  ofSlice('callbacks', callbackFeedRoute),
  ofSlice('callbacks', callbackRoutes),
  ofSlice('callbacks', callbackSecretRoutes),
  ofSlice('callbacks', eventDestinationRoutes),
  ofSlice('callbacks', pusherAuthRoute),
  ofSlice('people', applicationRoutes),
]

const ofAnybody = [
  ofSlice('payers', peopleRoutes),
  ofSlice('service', serviceRoutes),
  ofSlice('service', securityTextRoute),
  ofSlice('callbacks', callbackKeyRoutes),
  ofSlice('transparency', transparencyRoutes),
  ofSlice('portal', portalRoutes),
  ofSlice('operator', operatorRoutes),
  ofSlice('audit', auditRoutes),
]

const ofSandbox = [
  ofSlice('service', metricsRoute),
  ofSlice('sandbox', sandboxRoutes),
  ofSlice('sandbox', sandboxPermissionRoutes),
  ofSlice('sandbox', sandboxPayerRoutes),
]

export type MerchantRouteNeeds = NeedsOf<(typeof ofMerchants)[number]>

export type RouteNeeds = MerchantRouteNeeds &
  NeedsOf<(typeof ofAnybody | typeof ofSandbox)[number]> & {
    readonly asOf: AsOfNeeds
    readonly service: DocsNeeds & { readonly isSandbox: boolean }
  }

export const merchantInterface = (needs: MerchantRouteNeeds): Route[] =>
  ofMerchants.flatMap((make) => make(needs))

export const allRoutes = (needs: RouteNeeds): Route[] => {
  const { asOf, service, callbacks } = needs
  const routes = [
    ...merchantInterface(needs).map(takingAsOf(asOf)).map(fewStreamsAtOnce()),
    ...ofAnybody.flatMap((make) => make(needs)),
    ...(service.isSandbox ? ofSandbox.flatMap((make) => make(needs)) : []),
  ]
  return documented(routes.map(claimingChannels(callbacks)), service)
}
