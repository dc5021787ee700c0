import { takingAsOf, type AsOfNeeds } from './as-of.ts'
import { documented, type DocsNeeds } from './docs/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { attachmentRoutes } from './merchant/attachment.ts'
import { callbackRoutes } from './merchant/callback.ts'
import { callbackKeyRoutes } from './merchant/callback-keys.ts'
import { callbackFeedRoute } from './merchant/callback-feed.ts'
import { callbackSecretRoutes } from './merchant/callback-secret.ts'
import { feeScheduleRoute } from './merchant/fee-schedule.ts'
import { ledgerRoutes } from './merchant/ledger.ts'
import { logRoutes } from './merchant/log.ts'
import { merchantRoutes } from './merchant/merchant.ts'
import { paymentRoutes } from './merchant/payment.ts'
import { permissionRoutes } from './merchant/permission.ts'
import { posRoutes } from './merchant/pos.ts'
import { receiptRoutes } from './merchant/receipt.ts'
import { reportRoutes } from './merchant/report.ts'
import { sandboxPermissionRoutes } from './merchant/sandbox-permission.ts'
import { sandboxPayerRoutes } from './merchant/sandbox-payer.ts'
import { sandboxRoutes } from './merchant/sandbox.ts'
import { lastSettlementRoute, settlementRoutes } from './merchant/settlement.ts'
import { shortlinkRoutes } from './merchant/shortlink.ts'
import { statusCodeRoutes } from './merchant/status-code.ts'
import { userRoutes } from './merchant/user.ts'
import { applicationRoutes } from './oauth/application.ts'
import { operatorRoutes } from './operator/routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { portalRoutes } from './portal/routes.ts'
import { claimingChannels, pusherAuthRoute } from './pusher/channel-access.ts'
import type { NeedsOf, Route } from './route.ts'
import { securityTextRoute } from './security-txt.ts'
import { metricsRoute, serviceRoutes } from './service.ts'
import { fewStreamsAtOnce } from './streams-at-once.ts'
import { transparencyRoutes } from './transparency.ts'

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
  ofSlice('people', permissionRoutes),
  ofSlice('merchants', posRoutes),
  ofSlice('accounting', settlementRoutes),
  ofSlice('merchants', shortlinkRoutes),
  ofSlice('payments', statusCodeRoutes),
  ofSlice('merchants', userRoutes),
  ofSlice('accounting', logRoutes),
  ofSlice('accounting', feeScheduleRoute),
  ofSlice('transparency', receiptRoutes),
  ofSlice('callbacks', callbackFeedRoute),
  ofSlice('callbacks', callbackRoutes),
  ofSlice('callbacks', callbackSecretRoutes),
  ofSlice('callbacks', pusherAuthRoute),
  ofSlice('people', applicationRoutes),
]

const ofAnybody = [
  ofSlice('people', peopleRoutes),
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

type RouteNeeds = MerchantRouteNeeds &
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
