import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import { asPages } from '../ui/page.ts'
import { makeVisits, type SessionNeeds } from '../payer/session.ts'
import type { NeedsOf, Route } from '../../http/route.ts'
import { developerRoutes } from './developers/routes.ts'
import { lobbyRoutes } from './lobby.ts'
import { messagesRoutes } from './messages.ts'
import { moneyRoutes } from './money.ts'
import { overviewRoutes } from './overview.ts'
import { portalPaymentRoutes } from './payments/routes.ts'
import { portalPointRoutes } from './points/routes.ts'
import { signUpMerchantRoutes } from './sign-up.ts'
import { staffRoutes } from './staff.ts'

/** Every page of the portal. */
const pages = [
  lobbyRoutes,
  signUpMerchantRoutes,
  overviewRoutes,
  portalPaymentRoutes,
  moneyRoutes,
  developerRoutes,
  portalPointRoutes,
  staffRoutes,
  messagesRoutes,
]

const styles = [
  'portal',
  'parts',
  'tables',
  'stacks',
  'sheet',
  'overview',
  'charts',
  'money',
  'payments/find',
  'payments/list',
  'payments/page',
  'developers/developers',
  'developers/forms',
  'points/points',
  'print',
].map((name) => `web/portal/${name}.css`)

const scripts = ['portal', 'developers/developers'].map((name) => `web/portal/${name}.js`)

type PortalRouteNeeds = NeedsOf<(typeof pages)[number]> & SessionNeeds & AssetNeeds

/** What the staff of merchants see (interface 18). */
export const portalRoutes = (needs: PortalRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const style = joined(needs.readAsset, styles)
  const script = joined(needs.readAsset, scripts)
  const asset = (name: string, type: string, body: Uint8Array<ArrayBuffer>): Route =>
    assetRoute({
      path: `/portal/${name}`,
      type,
      group: 'Portal',
      summary: `What pages of the portal are made of: ${name}`,
      body: () => body,
    })
  return [
    ...asPages(pages.flatMap((make) => make(needs, visits))),
    asset('style.css', 'text/css', style),
    asset('portal.js', 'text/javascript', script),
  ]
}
