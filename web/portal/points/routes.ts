import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import { portalPages } from '../pages.ts'
import { codeFormRoutes, type CodeFormNeeds } from './code-changes.ts'
import { codeRoute, type CodeNeeds } from './code.ts'
import { pointListRoute } from './list.ts'
import { posFormRoutes } from './pos.ts'
import { printRoutes } from './print.ts'

/** Points of sale and codes, as the staff of a merchant see them (interface 18). */
export const portalPointRoutes = (
  needs: PortalNeeds & CodeFormNeeds & CodeNeeds,
  visits: Visits,
): Route[] => {
  const pages = portalPages(needs, visits)
  return [
    pointListRoute(needs, pages),
    ...posFormRoutes(needs, pages, visits),
    ...codeFormRoutes(needs, pages, visits),
    codeRoute(needs, pages),
    ...printRoutes(needs, pages),
  ]
}
