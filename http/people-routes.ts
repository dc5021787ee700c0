import type { AssetNeeds } from './assets.ts'
import { limited } from './concurrency-limit.ts'
import { applicationRoutes, type ApplicationNeeds } from './oauth/application.ts'
import { authorizationRoutes, type AuthorizationNeeds } from './oauth/auth.ts'
import { discoveryRoutes, type DiscoveryNeeds } from './oauth/discovery.ts'
import { scopeRoutes, type ScopeNeeds } from './oauth/scopes.ts'
import { tokenStateRoutes, type TokenStateNeeds } from './oauth/token-state.ts'
import { tokenRoutes, type TokenNeeds } from './oauth/token.ts'
import { payerAccessRoutes } from './payer/api-access.ts'
import { payerApiRoutes, type PayerApiNeeds } from './payer/api.ts'
import { besideOrder } from './payer/beside-order.ts'
import { checkoutRoutes, type CheckoutNeeds } from './payer/checkout.ts'
import { payerDeviceRoutes } from './payer/devices.ts'
import { payerProfileRoutes } from './payer/profile.ts'
import { payerHomeRoutes, type PayerHomeNeeds } from './payer/home.ts'
import { pageAssetRoutes } from './payer/page-assets.ts'
import { asPages } from './payer/page.ts'
import { payerPaymentRoutes, type PayerPaymentNeeds } from './payer/payment.ts'
import { payerPermissionRoutes, type PayerPermissionNeeds } from './payer/permission.ts'
import { payerPermissionsRoutes, type PayerPermissionsNeeds } from './payer/permissions.ts'
import { payerScanRoutes } from './payer/scan.ts'
import type { ScannedCodeNeeds } from './payer/scanned-code.ts'
import { makeVisits } from './payer/session.ts'
import { makeSignIn, type SignInFormNeeds } from './payer/sign-in-form.ts'
import { shopLogoRoute, type ShopLogoNeeds } from './payer/shop.ts'
import { signInRoutes } from './payer/sign-in.ts'
import { signUpRoutes } from './payer/sign-up-pages.ts'
import type { SignUpNeeds } from './payer/sign-up.ts'
import type { Route } from './route.ts'

export type OAuthRouteNeeds = AuthorizationNeeds &
  ApplicationNeeds &
  DiscoveryNeeds &
  ScopeNeeds &
  TokenNeeds &
  TokenStateNeeds

export type PayerRouteNeeds = PayerApiNeeds &
  SignInFormNeeds &
  SignUpNeeds &
  CheckoutNeeds &
  ShopLogoNeeds &
  PayerPaymentNeeds &
  PayerPermissionNeeds &
  PayerHomeNeeds &
  PayerPermissionsNeeds &
  ScannedCodeNeeds &
  AssetNeeds

/** The authorization server and the payers' pages. */
export const peopleRoutes = (needs: OAuthRouteNeeds & PayerRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const pages = [
    ...authorizationRoutes(needs, visits, makeSignIn(needs, visits)),
    ...signInRoutes(needs, besideOrder(needs, visits)),
    ...signUpRoutes(needs, besideOrder(needs, visits)),
    ...payerHomeRoutes(needs, visits),
    ...payerProfileRoutes(needs, visits),
    ...payerDeviceRoutes(needs, visits),
    ...payerPermissionsRoutes(needs, visits),
    ...payerScanRoutes(needs, visits),
    ...payerPaymentRoutes(needs, visits),
    ...payerPermissionRoutes(needs, visits),
    ...checkoutRoutes(needs, visits),
  ]
  // Limited, so that payers never hold up tills.
  const forPeople = limited([
    ...asPages(pages),
    ...tokenRoutes(needs),
    ...tokenStateRoutes(needs),
    ...scopeRoutes(needs),
    ...discoveryRoutes(needs),
    ...payerAccessRoutes(needs),
    ...payerApiRoutes(needs),
    ...pageAssetRoutes(needs),
    shopLogoRoute(needs),
  ])
  return [...applicationRoutes(needs), ...forPeople]
}
