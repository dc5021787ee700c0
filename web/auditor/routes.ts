import { assetRoute, type AssetNeeds } from '../../http/assets.ts'
import { asPages } from '../ui/page.ts'
import type { Route } from '../../http/route.ts'
import { auditCheckpointRoute, type AuditCheckpointNeeds } from './checkpoints.ts'
import { auditEventRoutes, type AuditEventNeeds } from './events.ts'
import { auditExplainRoute, type AuditExplainNeeds } from './explain.ts'
import { auditExportRoutes, type AuditExportNeeds } from './export.ts'
import { auditOverviewRoutes, type AuditOverviewNeeds } from './overview.ts'
import { auditRefusalRoute, type AuditRefusalNeeds } from './refusals.ts'
import { auditSignInRoutes, type AuditSignInNeeds } from './sign-in.ts'
import { makeAuditVisits, type VisitNeeds } from './visits.ts'

type AuditNeeds = VisitNeeds &
  AuditSignInNeeds &
  AuditOverviewNeeds &
  AuditEventNeeds &
  AuditExplainNeeds &
  AuditRefusalNeeds &
  AuditCheckpointNeeds &
  AuditExportNeeds &
  AssetNeeds

/** What auditors see. All of it only reads; every look is recorded. */
export const auditRoutes = (needs: AuditNeeds): Route[] => {
  const visits = makeAuditVisits(needs)
  const style = needs.readAsset('web/auditor/audit.css')
  return [
    ...asPages([
      ...auditSignInRoutes(needs, visits),
      ...auditOverviewRoutes(needs, visits),
      ...auditEventRoutes(needs, visits),
      auditExplainRoute(needs, visits),
      auditRefusalRoute(needs, visits),
      auditCheckpointRoute(needs, visits),
      ...auditExportRoutes(needs, visits),
    ]),
    assetRoute({
      path: '/audit/style.css',
      type: 'text/css',
      group: 'Audit',
      summary: 'What pages of auditors are made of: style.css',
      body: () => style,
    }),
  ]
}
