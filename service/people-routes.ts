import { authorizationRoutes } from '../web/authorize/auth.ts'
import { discoveryRoutes } from '../http/oauth/discovery.ts'
import { scopeRoutes } from '../http/oauth/scopes.ts'
import { tokenStateRoutes } from '../http/oauth/token-state.ts'
import { tokenRoutes } from '../http/oauth/token.ts'
import { payerAccessRoutes } from '../web/payer/api-access.ts'
import { payerRecoveryRoutes } from '../web/payer/api-recovery.ts'
import { payerSignUpRoutes } from '../web/payer/api-sign-up.ts'
import { payerApiRoutes } from '../web/payer/api.ts'
import { besideOrder } from '../web/payer/order.tsx'
import { checkoutRoutes } from '../web/payer/checkout.tsx'
import { languageRoutes } from '../web/payer/language.ts'
import { payerDeviceRoutes } from '../web/payer/devices.tsx'
import { payerSecurityRoutes } from '../web/payer/security.tsx'
import { recoveryRoutes } from '../web/payer/recovery.tsx'
import { payerProfileRoutes } from '../web/payer/profile.tsx'
import { payerHomeRoutes } from '../web/payer/home.tsx'
import { pageAssetRoutes, asPages } from '../web/ui/page.tsx'
import { payerPaymentRoutes } from '../web/payer/payment.ts'
import { payerPermissionRoutes } from '../web/payer/permission.tsx'
import { payerPermissionsRoutes } from '../web/payer/permissions.tsx'
import { twinArrivalRoutes } from '../web/portal/twin.ts'
import { payerScanRoutes } from '../web/payer/scan.tsx'
import { resumeRoutes } from '../web/payer/resume.tsx'
import { makeVisits } from '../web/payer/session.tsx'
import { makeSignIn } from '../web/payer/sign-in-form.tsx'
import { shopLogoRoute } from '../web/payer/shop.tsx'
import { signInRoutes } from '../web/payer/sign-in.tsx'
import { signUpRoutes } from '../web/payer/sign-up-pages.ts'
import type { NeedsOf, Route } from '../http/route.ts'

const ofVisitors = [
  payerHomeRoutes,
  resumeRoutes,
  payerProfileRoutes,
  payerDeviceRoutes,
  payerSecurityRoutes,
  recoveryRoutes,
  payerPermissionsRoutes,
  payerScanRoutes,
  payerPaymentRoutes,
  payerPermissionRoutes,
  checkoutRoutes,
  languageRoutes,
  twinArrivalRoutes,
]

const ofApps = [
  tokenRoutes,
  tokenStateRoutes,
  scopeRoutes,
  discoveryRoutes,
  payerSignUpRoutes,
  payerRecoveryRoutes,
  payerAccessRoutes,
  payerApiRoutes,
  pageAssetRoutes,
]

const ofSignIn = [makeSignIn, besideOrder, authorizationRoutes, signInRoutes, signUpRoutes]

type Makers = (typeof ofVisitors | typeof ofApps | typeof ofSignIn)[number]

export const peopleRoutes = (needs: NeedsOf<Makers | typeof shopLogoRoute>): Route[] => {
  const visits = makeVisits(needs)
  const pages = [
    ...authorizationRoutes(needs, visits, makeSignIn(needs, visits)),
    ...signInRoutes(needs, besideOrder(needs, visits)),
    ...signUpRoutes(needs, besideOrder(needs, visits)),
    ...ofVisitors.flatMap((make) => make(needs, visits)),
  ]
  const apps = ofApps.flatMap((make) => make(needs))
  return [...asPages(pages), ...apps, shopLogoRoute(needs)]
}
