import { authorizationRoutes, type AuthorizationNeeds } from './oauth-auth.ts'
import { applicationRoutes, type ApplicationNeeds } from './application.ts'
import { discoveryRoutes, type DiscoveryNeeds } from './oauth-discovery.ts'
import { scopeRoutes, type ScopeNeeds } from './oauth-scopes.ts'
import { tokenRoutes, type TokenNeeds } from './oauth-token.ts'
import { asPages } from './page.ts'
import { pageAssetRoutes } from './page-assets.ts'
import { payerAccessRoutes } from './payer-api-access.ts'
import { payerApiRoutes, type PayerApiNeeds } from './payer-api.ts'
import { checkoutRoutes, type CheckoutNeeds } from './payer-checkout.ts'
import { payerHomeRoutes, type PayerHomeNeeds } from './payer-home.ts'
import { payerPaymentRoutes, type PayerPaymentNeeds } from './payer-payment.ts'
import { payerPermissionRoutes, type PayerPermissionNeeds } from './payer-permission.ts'
import { makeVisits } from './payer-session.ts'
import { makeSignIn, signInRoutes, type SignInNeeds } from './payer-sign-in.ts'
import { signUpRoutes, type SignUpNeeds } from './payer-sign-up.ts'
import type { Route } from './route.ts'
import { inTurns } from './turns.ts'

export type OAuthRouteNeeds = AuthorizationNeeds &
  ApplicationNeeds &
  DiscoveryNeeds &
  ScopeNeeds &
  TokenNeeds

export type PayerRouteNeeds = PayerApiNeeds &
  SignInNeeds &
  SignUpNeeds &
  CheckoutNeeds &
  PayerPaymentNeeds &
  PayerPermissionNeeds &
  PayerHomeNeeds

/** The people's half of the interface: the authorization server, and the pages of payers. */
export const peopleRoutes = (needs: OAuthRouteNeeds & PayerRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const pages = [
    ...authorizationRoutes(needs, visits, makeSignIn(needs, visits)),
    ...signInRoutes(needs, visits),
    ...signUpRoutes(needs, visits),
    ...payerHomeRoutes(needs, visits),
    ...payerPaymentRoutes(needs, visits),
    ...payerPermissionRoutes(needs, visits),
    ...checkoutRoutes(needs, visits),
  ]
  // However many people come at once, tills must not wait for them.
  const forPeople = inTurns([
    ...asPages(pages),
    ...tokenRoutes(needs),
    ...scopeRoutes(needs),
    ...discoveryRoutes(needs),
    ...payerAccessRoutes(needs),
    ...payerApiRoutes(needs),
    ...pageAssetRoutes(),
  ])
  return [...applicationRoutes(needs), ...forPeople]
}
