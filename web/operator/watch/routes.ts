import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { operatorPages, type OperatorNeeds } from '../pages.tsx'
import { healthPage, type HealthNeeds } from './health.tsx'
import { keyRoutes, type KeyNeeds } from './keys.tsx'
import { securityLogPage, securityQuery, type SecurityNeeds } from './security.tsx'

type OperatorWatchNeeds = OperatorNeeds & HealthNeeds & SecurityNeeds & KeyNeeds

export const operatorWatchRoutes = (needs: OperatorWatchNeeds, visits: Visits): Route[] => {
  const pages = operatorPages(needs, visits)
  const { page } = pages
  return [
    page(
      {
        path: '/operator/health',
        summary: 'How the service is: its log, read models, queues and audits',
        action: 'see_health',
        area: 'health',
      },
      (visitor) => healthPage(needs, visitor),
    ),
    page(
      {
        path: '/operator/security',
        summary: 'The security log, the newest lines first',
        action: 'see_security',
        area: 'security',
        ownQuery: securityQuery,
      },
      async (visitor, call) => securityLogPage(needs, visitor, call),
    ),
    ...keyRoutes(needs, visits, pages),
  ]
}
