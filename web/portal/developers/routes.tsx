import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { portalApplicationRoutes, type PortalApplicationNeeds } from './applications.ts'
import { portalCallbackRoutes, type PortalCallbackNeeds } from './callbacks.ts'
import { portalDestinationRoutes, type PortalDestinationNeeds } from './destinations.tsx'
import { portalRequestRoutes, type PortalRequestNeeds } from './requests.tsx'
import { portalSandboxRoutes, type PortalSandboxNeeds } from './sandbox.tsx'
import { portalUserRoutes, type PortalUserNeeds } from './users.ts'

type DeveloperNeeds = PortalUserNeeds &
  PortalApplicationNeeds &
  PortalCallbackNeeds &
  PortalDestinationNeeds &
  PortalRequestNeeds &
  PortalSandboxNeeds

/** What developers see and do: API users, applications, callbacks, and their requests. */
export const developerRoutes = (needs: DeveloperNeeds, visits: Visits): Route[] => [
  ...portalUserRoutes(needs, visits),
  ...portalApplicationRoutes(needs, visits),
  ...portalCallbackRoutes(needs, visits),
  ...portalDestinationRoutes(needs, visits),
  ...portalRequestRoutes(needs, visits),
  ...portalSandboxRoutes(needs, visits),
]
