import { authorizationRoutes } from './oauth/auth.ts'
import { discoveryRoutes } from './oauth/discovery.ts'
import { scopeRoutes } from './oauth/scopes.ts'
import { tokenStateRoutes } from './oauth/token-state.ts'
import { tokenRoutes } from './oauth/token.ts'
import { payerAccessRoutes } from './payer/api-access.ts'
import { payerRecoveryRoutes } from './payer/api-recovery.ts'
import { payerSignUpRoutes } from './payer/api-sign-up.ts'
import { payerApiRoutes } from './payer/api.ts'
import { besideOrder } from './payer/beside-order.ts'
import { checkoutRoutes } from './payer/checkout.ts'
import { payerDeviceRoutes } from './payer/devices.ts'
import { payerSecurityRoutes } from './payer/security.ts'
import { recoveryRoutes } from './payer/recovery.ts'
import { payerProfileRoutes } from './payer/profile.ts'
import { payerHomeRoutes } from './payer/home.ts'
import { pageAssetRoutes } from './payer/page-assets.ts'
import { asPages } from './payer/page.ts'
import { payerPaymentRoutes } from './payer/payment.ts'
import { payerPermissionRoutes } from './payer/permission.ts'
import { payerPermissionsRoutes } from './payer/permissions.ts'
import { payerScanRoutes } from './payer/scan.ts'
import { makeVisits } from './payer/session.ts'
import { makeSignIn } from './payer/sign-in-form.ts'
import { shopLogoRoute } from './payer/shop.ts'
import { signInRoutes } from './payer/sign-in.ts'
import { signUpRoutes } from './payer/sign-up-pages.ts'
import type { NeedsOf, Route } from './route.ts'

const ofVisitors = [
  payerHomeRoutes,
  payerProfileRoutes,
  payerDeviceRoutes,
  payerSecurityRoutes,
  recoveryRoutes,
  payerPermissionsRoutes,
  payerScanRoutes,
  payerPaymentRoutes,
  payerPermissionRoutes,
  checkoutRoutes,
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
type PeopleNeeds = NeedsOf<Makers | typeof shopLogoRoute>

export const peopleRoutes = (needs: PeopleNeeds): Route[] => {
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
