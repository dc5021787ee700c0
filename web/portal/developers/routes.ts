import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import { portalApplicationRoutes, type PortalApplicationNeeds } from './applications.ts'
import { portalCallbackRoutes, type PortalCallbackNeeds } from './callbacks.ts'
import { portalRefusalRoutes, type PortalRefusalNeeds } from './requests.ts'
import { portalSandboxRoutes, type PortalSandboxNeeds } from './sandbox.ts'
import { portalUserRoutes, type PortalUserNeeds } from './users.ts'

type DeveloperNeeds = PortalUserNeeds &
  PortalApplicationNeeds &
  PortalCallbackNeeds &
  PortalRefusalNeeds &
  PortalSandboxNeeds

/** What developers see and do: API users, applications, callbacks, and what was refused. */
export const developerRoutes = (needs: DeveloperNeeds, visits: Visits): Route[] => [
  ...portalUserRoutes(needs, visits),
  ...portalApplicationRoutes(needs, visits),
  ...portalCallbackRoutes(needs, visits),
  ...portalRefusalRoutes(needs, visits),
  ...portalSandboxRoutes(needs, visits),
]
