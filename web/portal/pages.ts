import { z } from 'zod'
import { mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { Visits } from '../payer/session.tsx'
import { routesOf } from '../../http/route.ts'
import { staffPages } from '../staff/pages.ts'
import { portalPath, type Area } from './areas.ts'
import { contextOfStaff, enter, forbiddenPage, type PortalNeeds } from './guard.ts'
import { portalReply, type PortalPage, type PortalVisitor } from './page.tsx'

/** In the path of every page of a merchant. */
export const merchantParam = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/)
  .meta({ description: 'The id of the merchant.' })

export const shopParams = z.object({ merchant: merchantParam })

/** Of whoever has signed in, with no merchant in the path. */
export const inLobbyRoutes = routesOf({
  access: 'OPEN',
  group: 'Portal',
  replyTypes: ['text/html'],
})

/** Makes pages and forms of the portal, whose paths have `:merchant`. */
export const portalPages = (needs: PortalNeeds, visits: Visits) =>
  staffPages<PortalVisitor, PortalPage, StaffAction, Area, typeof shopParams>(needs, visits, {
    group: 'Portal',
    params: shopParams,
    missing: 'Not on the staff of the merchant, or it has no such thing.',
    homeOf: (visitor) => ('shop' in visitor ? portalPath(visitor.shop.merchant) : '/portal/'),
    enter: (visitor, { params }) =>
      enter(needs, visitor, (params as { readonly merchant: string }).merchant),
    mayDo: ({ me }, action) => mayDo(me.terms, action),
    forbidden: (visitor, area) => ({ ...forbiddenPage(visitor), area }),
    reply: portalReply,
    noteVisit: (visitor, call) => needs.noteVisit(visitor, contextOfStaff(call, visitor)),
    contextOf: contextOfStaff,
  })

export type PortalPages = ReturnType<typeof portalPages>
