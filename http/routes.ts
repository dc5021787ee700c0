import { takingAsOf, type AsOfNeeds } from './as-of.ts'
import { documented } from './docs/routes.ts'
import { auditRoutes, type AuditNeeds } from './audit/routes.ts'
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
import { operatorRoutes, type OperatorRouteNeeds } from './operator/routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { portalRoutes, type PortalRouteNeeds } from './portal/routes.ts'
import { claimingChannels, pusherAuthRoute } from './pusher/channel-access.ts'
import type { NeedsOf, Route } from './route.ts'
import { securityTextRoute } from './security-txt.ts'
import { metricsRoute, serviceRoutes } from './service.ts'
import { fewStreamsAtOnce } from './streams-at-once.ts'
import { transparencyRoutes, type TransparencyNeeds } from './transparency.ts'

/** What the routes of merchants need, by slice. */
export type MerchantRouteNeeds = {
  readonly payments: NeedsOf<typeof paymentRoutes | typeof attachmentRoutes>
  readonly accounting: NeedsOf<
    | typeof ledgerRoutes
    | typeof reportRoutes
    | typeof settlementRoutes
    | typeof logRoutes
    | typeof feeScheduleRoute
  >
  readonly merchants: NeedsOf<
    typeof merchantRoutes | typeof posRoutes | typeof shortlinkRoutes | typeof userRoutes
  >
  readonly people: NeedsOf<typeof permissionRoutes | typeof applicationRoutes>
  readonly callbacks: NeedsOf<
    | typeof callbackRoutes
    | typeof callbackFeedRoute
    | typeof callbackSecretRoutes
    | typeof pusherAuthRoute
  >
  readonly transparency: NeedsOf<typeof receiptRoutes>
}

/** What the routes need, by slice. */
export type RouteNeeds = MerchantRouteNeeds & {
  readonly people: NeedsOf<typeof peopleRoutes>
  readonly callbacks: NeedsOf<typeof callbackKeyRoutes>
  readonly asOf: AsOfNeeds
  readonly transparency: TransparencyNeeds
  readonly portal: PortalRouteNeeds
  readonly operator: OperatorRouteNeeds
  readonly audit: AuditNeeds
  /** The service itself. */
  readonly service: NeedsOf<typeof serviceRoutes | typeof securityTextRoute> &
    Parameters<typeof documented>[1]
  /** Undefined in production. */
  readonly sandbox:
    | NeedsOf<typeof sandboxRoutes | typeof sandboxPermissionRoutes | typeof sandboxPayerRoutes>
    | undefined
}

/** The merchant interface in the order of interface 16. */
export const merchantInterface = (needs: MerchantRouteNeeds): Route[] => {
  const { payments, accounting, merchants, people, callbacks } = needs
  return [
    lastSettlementRoute(accounting),
    ...ledgerRoutes(accounting),
    ...reportRoutes(accounting),
    ...merchantRoutes(merchants),
    ...paymentRoutes(payments),
    ...attachmentRoutes(payments),
    ...permissionRoutes(people),
    ...posRoutes(merchants),
    ...settlementRoutes(accounting),
    ...shortlinkRoutes(merchants),
    ...statusCodeRoutes(),
    ...userRoutes(merchants),
    ...logRoutes(accounting),
    feeScheduleRoute(accounting),
    ...receiptRoutes(needs.transparency),
    callbackFeedRoute(callbacks),
    ...callbackRoutes(callbacks),
    ...callbackSecretRoutes(callbacks),
    pusherAuthRoute(callbacks),
    ...applicationRoutes(people),
  ]
}

/** Every route. */
export const allRoutes = (needs: RouteNeeds): Route[] => {
  const { people, callbacks, asOf, service, sandbox } = needs
  const routes = [
    ...merchantInterface(needs).map(takingAsOf(asOf)).map(fewStreamsAtOnce()),
    ...peopleRoutes(people),
    ...serviceRoutes(service),
    securityTextRoute(service),
    ...callbackKeyRoutes(callbacks),
    ...transparencyRoutes(needs.transparency),
    ...portalRoutes(needs.portal),
    ...operatorRoutes(needs.operator),
    ...auditRoutes(needs.audit),
    ...(sandbox
      ? [
          metricsRoute(service),
          ...sandboxRoutes(sandbox),
          ...sandboxPermissionRoutes(sandbox),
          ...sandboxPayerRoutes(sandbox),
        ]
      : []),
  ]
  return documented(routes.map(claimingChannels(callbacks)), service)
}
