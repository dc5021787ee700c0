import { documented, type DocsNeeds } from './docs/routes.ts'
import { attachmentRoutes, type AttachmentNeeds } from './merchant/attachment.ts'
import { callbackSecretRoutes, type CallbackSecretNeeds } from './merchant/callback-secret.ts'
import { feeScheduleRoute, type FeeScheduleNeeds } from './merchant/fee-schedule.ts'
import { ledgerRoutes } from './merchant/ledger.ts'
import { logRoutes, type LogNeeds } from './merchant/log.ts'
import { merchantRoutes, type MerchantNeeds } from './merchant/merchant.ts'
import { paymentRoutes, type PaymentNeeds } from './merchant/payment.ts'
import { permissionRoutes, type PermissionNeeds } from './merchant/permission.ts'
import { posRoutes, type PosNeeds } from './merchant/pos.ts'
import { reportRoutes, type ReportNeeds } from './merchant/report.ts'
import {
  sandboxPermissionRoutes,
  type SandboxPermissionNeeds,
} from './merchant/sandbox-permission.ts'
import { sandboxPayerRoutes, type SandboxPayerNeeds } from './merchant/sandbox-payer.ts'
import { sandboxRoutes, type SandboxNeeds } from './merchant/sandbox.ts'
import {
  lastSettlementRoute,
  settlementRoutes,
  type SettlementNeeds,
} from './merchant/settlement.ts'
import { shortlinkRoutes, type ShortlinkNeeds } from './merchant/shortlink.ts'
import { statusCodeRoutes } from './merchant/status-code.ts'
import { userRoutes, type UserNeeds } from './merchant/user.ts'
import { peopleRoutes, type OAuthRouteNeeds, type PayerRouteNeeds } from './people-routes.ts'
import type { Route } from './route.ts'
import { metricsRoute, serviceRoutes, type ServiceNeeds } from './service.ts'

export type RouteNeeds = MerchantNeeds &
  PaymentNeeds &
  AttachmentNeeds &
  PermissionNeeds &
  OAuthRouteNeeds &
  PayerRouteNeeds &
  PosNeeds &
  ShortlinkNeeds &
  UserNeeds &
  ReportNeeds &
  LogNeeds &
  SettlementNeeds &
  FeeScheduleNeeds &
  CallbackSecretNeeds &
  ServiceNeeds &
  DocsNeeds & {
    /** Undefined in production. */
    readonly sandbox: (SandboxNeeds & SandboxPermissionNeeds & SandboxPayerNeeds) | undefined
  }

/** Every route; the merchant interface in the order of interface 16. */
export const allRoutes = (needs: RouteNeeds): Route[] =>
  documented(
    [
      lastSettlementRoute(needs),
      ...ledgerRoutes(needs),
      ...reportRoutes(needs),
      ...merchantRoutes(needs),
      ...paymentRoutes(needs),
      ...attachmentRoutes(needs),
      ...permissionRoutes(needs),
      ...posRoutes(needs),
      ...settlementRoutes(needs),
      ...shortlinkRoutes(needs),
      ...statusCodeRoutes(),
      ...userRoutes(needs),
      ...logRoutes(needs),
      feeScheduleRoute(needs),
      ...callbackSecretRoutes(needs),
      ...peopleRoutes(needs),
      ...serviceRoutes(needs),
      ...(needs.sandbox
        ? [
            metricsRoute(needs),
            ...sandboxRoutes(needs.sandbox),
            ...sandboxPermissionRoutes(needs.sandbox),
            ...sandboxPayerRoutes(needs.sandbox),
          ]
        : []),
    ],
    needs,
  )
