import type { Context, Handle } from '../../application/handle.ts'
import type { StaffWork } from '../../application/staff.ts'
import { staffs } from '../../domain/aggregates.ts'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer, type Call } from '../call.ts'
import { fieldOf, fieldsOf } from '../forms.ts'
import { readInvited, type Problems } from '../payer/fields.ts'
import type { Visits } from '../payer/session.ts'
import type { RawReply } from '../route.ts'
import { codeProblem } from '../staff/code.ts'
import { contextOfStaff, type PortalNeeds, type Shown } from './guard.ts'
import type { PortalVisitor } from './page.ts'
import type { PortalPages } from './pages.ts'
import { readTerms, type StaffForm } from './staff-fields.ts'
import { endForm, inviteForm, roleForm, type Given } from './staff-forms.ts'
import { staffPath, type StaffPageNeeds } from './staff-page.ts'
import { staffTexts } from './texts-staff.ts'

export type StaffPagesNeeds = PortalNeeds &
  StaffPageNeeds &
  Pick<StaffWork, 'inviteStaff'> & {
    readonly handle: Handle
    readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
  }

const givenIn = (body: StaffForm): Given => ({
  role: fieldOf(body, 'role'),
  pos: fieldsOf(body, 'pos'),
  limit: fieldOf(body, 'refund_limit'),
  phone: fieldOf(body, 'phone'),
})

type StaffCall = Call<{ readonly merchant: string }, undefined, StaffForm>
type Confirm = PortalPages['confirm']

const doneWith =
  (visits: Visits) =>
  (visitor: PortalVisitor, what: string): RawReply =>
    visits.go(visitor, staffPath(visitor.shop.merchant, `?${what}`))

/** Shows the form again when something is wrong. */
const changesOfRoles = (needs: StaffPagesNeeds, visits: Visits, confirm: Confirm) => {
  const done = doneWith(visits)

  const invite = async (visitor: PortalVisitor, call: StaffCall): Promise<Shown> => {
    const { shop, me, language, texts } = visitor
    const given = givenIn(call.body)
    const invited = readInvited(texts, given.phone ?? '')
    const read = readTerms(call.body, shop, needs.posOf(shop.merchant), staffTexts[language])
    const again = (problems: Problems) => inviteForm(needs, visitor, { ...given, problems })
    if ('problem' in invited) return again({ phone: invited.problem })
    if ('problems' in read) return again(read.problems)
    if (read.terms.role === 'owner') {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return again({ code })
    }
    const asked = { phone: invited.phone, terms: read.terms, by: me.member }
    await needs.inviteStaff(shop.merchant, asked, contextOfStaff(call, visitor))
    return done(visitor, 'invited')
  }

  const changeRole = async (
    visitor: PortalVisitor,
    one: StaffMember,
    call: StaffCall,
  ): Promise<Shown> => {
    const { shop, me, language } = visitor
    const given = givenIn(call.body)
    const read = readTerms(call.body, shop, needs.posOf(shop.merchant), staffTexts[language])
    const again = (problems: Problems) => roleForm(needs, visitor, one, { ...given, problems })
    if ('problems' in read) return again(read.problems)
    const { terms } = read
    if ((terms.role === 'owner') !== (one.terms.role === 'owner')) {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return again({ code })
    }
    const command = { type: 'ChangeRole', member: one.member, terms, by: me.member } as const
    await needs.handle(staffs, shop.merchant, command, contextOfStaff(call, visitor))
    return done(visitor, 'saved')
  }

  return { invite, changeRole }
}

/** How somebody's work for the merchant ends, or an own session. */
const ends = (needs: StaffPagesNeeds, visits: Visits, confirm: Confirm) => {
  const done = doneWith(visits)

  const remove = async (
    visitor: PortalVisitor,
    one: StaffMember,
    call: StaffCall,
  ): Promise<Shown> => {
    if (one.terms.role === 'owner') {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return endForm(needs, visitor, one, { code })
    }
    const command = { type: 'Remove', member: one.member, by: visitor.me.member } as const
    await needs.handle(staffs, visitor.shop.merchant, command, contextOfStaff(call, visitor))
    return done(visitor, 'removed')
  }

  const leave = async (visitor: PortalVisitor, call: StaffCall): Promise<Shown> => {
    const command = { type: 'Leave', member: visitor.me.member } as const
    await needs.handle(staffs, visitor.shop.merchant, command, contextOfStaff(call, visitor))
    return visits.go(visitor, '/portal/')
  }

  const endSession = async (visitor: PortalVisitor, call: StaffCall): Promise<Shown> => {
    const { payer } = visitor.session
    const session = fieldOf(call.body, 'session')
    const isTheirs = needs.devicesOf(payer, call.at).some((one) => one.session === session)
    if (!isTheirs) return refuse('resource_is_unknown')
    await needs.signOut(payer, session, contextOfPayer(call, payer))
    return done(visitor, 'ended')
  }

  return { remove, leave, endSession }
}

/** Each shows its form again when something is wrong, else goes back to the page. */
export const staffChanges = (needs: StaffPagesNeeds, visits: Visits, confirm: Confirm) => ({
  ...changesOfRoles(needs, visits, confirm),
  ...ends(needs, visits, confirm),
})
