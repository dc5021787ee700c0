import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import { asPages } from '../ui/page.ts'
import { makeVisits, type SessionNeeds } from '../payer/session.ts'
import type { NeedsOf, Route } from '../../http/route.ts'
import { operatorFeeRoutes } from './fees.ts'
import { joinRoutes } from './join.ts'
import { operatorJournalRoutes } from './journal/routes.ts'
import { merchantPageRoutes } from './merchant.ts'
import { merchantSwitchRoutes } from './merchant-switch.ts'
import { merchantListRoutes } from './merchants.ts'
import { operatorOverviewRoutes } from './overview.ts'
import { operatorPayoutRoutes } from './payouts/routes.ts'
import { operatorPeopleRoutes } from './people.ts'
import { operatorWatchRoutes } from './watch/routes.ts'

/** Every page of the operator. */
const pages = [
  joinRoutes,
  operatorOverviewRoutes,
  merchantListRoutes,
  merchantPageRoutes,
  merchantSwitchRoutes,
  operatorFeeRoutes,
  operatorPayoutRoutes,
  operatorJournalRoutes,
  operatorWatchRoutes,
  operatorPeopleRoutes,
]

const styles = ['operator', 'money'].map((name) => `web/operator/${name}.css`)

type OperatorRouteNeeds = NeedsOf<(typeof pages)[number]> & SessionNeeds & AssetNeeds

/** What the people of the operator see (interface 20). */
export const operatorRoutes = (needs: OperatorRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const style = joined(needs.readAsset, styles)
  return [
    ...asPages(pages.flatMap((make) => make(needs, visits))),
    assetRoute({
      path: '/operator/style.css',
      type: 'text/css',
      group: 'Operator',
      summary: 'What pages of the operator are made of: style.css',
      body: () => style,
    }),
  ]
}
