import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { memberOf } from '../../domain/staff-members.ts'
import { searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { Visits } from '../payer/session.ts'
import type { Route } from '../../http/route.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { portalPages } from './pages.ts'
import { staffChanges, type StaffPagesNeeds } from './staff-changes.ts'
import { givenTerms, staffForm } from './staff-fields.ts'
import { endForm, inviteForm, roleForm } from './staff-forms.ts'
import { staffPage } from './staff-page.ts'

const place = {
  path: '/portal/:merchant/staff',
  action: 'see_staff',
  area: 'staff',
} as const

/** @throws Refusal role_forbids_it for all but owners */
const checkOwner = ({ me }: PortalVisitor): void => {
  if (!mayDo(me.terms, 'change_staff')) refuse('role_forbids_it')
}

/** @throws Refusal resource_is_unknown for whoever is not on the staff of this merchant */
const memberIn = async ({ findStaff }: StaffPagesNeeds, { shop }: PortalVisitor, member: string) =>
  memberOf(await findStaff(shop.merchant), member) ?? refuse('resource_is_unknown')

const formOf = async (
  needs: StaffPagesNeeds,
  visitor: PortalVisitor,
  search: URLSearchParams,
): Promise<PortalPage | undefined> => {
  if (search.has('leave')) return endForm(needs, visitor, visitor.me)
  const [role, end] = [search.get('member'), search.get('remove')]
  if (role === null && end === null && !search.has('invite')) return undefined
  checkOwner(visitor)
  if (end !== null) return endForm(needs, visitor, await memberIn(needs, visitor, end))
  if (role === null) return inviteForm(needs, visitor, {})
  const one = await memberIn(needs, visitor, role)
  return roleForm(needs, visitor, one, givenTerms(one.terms))
}

/** Who works for the merchant; owners invite, change and remove. */
export const staffRoutes = (needs: StaffPagesNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const change = staffChanges(needs, visits, confirm)
  return [
    page({ ...place, summary: 'The staff, and the security log' }, async (visitor, call) => {
      const shown = await formOf(needs, visitor, searchOf(call))
      return shown ?? staffPage(needs, visitor, call)
    }),
    form(
      {
        ...place,
        summary: 'Invite, change a role, remove, withdraw, leave, end a session',
        ownForm: staffForm,
      },
      async (visitor, call) => {
        const name = fieldOf(call.body, 'change')
        if (name === 'leave') return change.leave(visitor, call)
        if (name === 'end_session') return change.endSession(visitor, call)
        checkOwner(visitor)
        if (name === 'withdraw') return change.withdraw(visitor, call)
        if (name === 'invite') return change.invite(visitor, call)
        const one = await memberIn(needs, visitor, fieldOf(call.body, 'member'))
        if (name === 'remove') return change.remove(visitor, one, call)
        return name === 'role'
          ? change.changeRole(visitor, one, call)
          : refuse('resource_is_unknown')
      },
    ),
  ]
}
