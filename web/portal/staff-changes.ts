import { changeMember, inviteMember, type withdrawChange } from '../../application/change-owners.ts'
import type { Find } from '../../application/find-state.ts'
import type { SendMessage } from '../../application/number-proofs.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { StaffWork } from '../../application/staff.ts'
import { staffs } from '../../domain/aggregates.ts'
import { isOwner, type StaffMember } from '../../domain/merchant/staff.ts'
import type { StaffTerms } from '../../domain/merchant/staff-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { fieldOf, fieldsOf } from '../../http/forms.ts'
import { readInvited, type Problems } from '../ui/fields.tsx'
import type { Visits } from '../payer/session.tsx'
import type { RawReply } from '../../http/route.ts'
import { codeProblem } from '../staff/guard.tsx'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from './guard.ts'
import type { PortalVisitor } from './page.tsx'
import type { PortalPages } from './pages.ts'
import { readTerms, type StaffForm } from './staff-fields.tsx'
import { endForm, inviteForm, roleForm, type StaffFields } from './staff-forms.tsx'
import { staffPath, type StaffPageNeeds } from './staff-page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export type StaffPagesNeeds = PortalNeeds &
  StaffPageNeeds &
  Pick<StaffWork, 'inviteStaff'> & {
    readonly handle: Handle
    readonly find: Find
    readonly sendMessage: SendMessage | undefined
    readonly withdrawChange: ReturnType<typeof withdrawChange>
    readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
  }

const fieldsIn = (body: StaffForm): StaffFields => ({
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

/** A form that is sent twice asks once. @throws Refusal resource_is_unknown without its id */
const change =
  (needs: StaffPagesNeeds, visits: Visits) =>
  async (
    visitor: PortalVisitor,
    one: StaffMember,
    terms: StaffTerms | null,
    call: StaffCall,
  ): Promise<RawReply> => {
    const { shop, me } = visitor
    const change = fieldOf(call.body, 'attempt')
    if (isOwner(one) && terms?.role !== 'owner' && change.length < 30)
      return refuse('resource_is_unknown')
    const removal = { member: one.member, by: me.member, change, terms }
    const what = await changeMember(needs)(shop.merchant, removal, contextOfStaff(call, visitor))
    return doneWith(visits)(visitor, what)
  }

/** Shows the form again when something is wrong. */
const changesOfRoles = (needs: StaffPagesNeeds, visits: Visits, confirm: Confirm) => {
  const done = doneWith(visits)

  const invite = async (visitor: PortalVisitor, call: StaffCall): Promise<PageOrReply> => {
    const { shop, me, language, texts } = visitor
    const fields = fieldsIn(call.body)
    const invited = readInvited(texts, fields.phone ?? '', visits.readPhone)
    const read = readTerms(call.body, shop, needs.posOf(shop.merchant), textsIn[language].staff)
    const again = (problems: Problems) => inviteForm(needs, visitor, { ...fields, problems })
    if ('problem' in invited) return again({ phone: invited.problem })
    if ('problems' in read) return again(read.problems)
    if (read.terms.role === 'owner') {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return again({ code })
    }
    const invitation = { phone: invited.phone, terms: read.terms, by: me.member }
    await inviteMember(needs)(shop.merchant, invitation, contextOfStaff(call, visitor))
    return done(visitor, 'invited')
  }

  const changeRole = async (
    visitor: PortalVisitor,
    one: StaffMember,
    call: StaffCall,
  ): Promise<PageOrReply> => {
    const { shop, language } = visitor
    const fields = fieldsIn(call.body)
    const read = readTerms(call.body, shop, needs.posOf(shop.merchant), textsIn[language].staff)
    const again = (problems: Problems) => roleForm(needs, visitor, one, { ...fields, problems })
    if ('problems' in read) return again(read.problems)
    const { terms } = read
    if ((terms.role === 'owner') !== (one.terms.role === 'owner')) {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return again({ code })
    }
    return change(needs, visits)(visitor, one, terms, call)
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
  ): Promise<PageOrReply> => {
    if (one.terms.role === 'owner') {
      const code = await codeProblem(confirm, visitor, call)
      if (code !== undefined) return endForm(needs, visitor, one, { code })
    }
    return change(needs, visits)(visitor, one, null, call)
  }

  const leave = async (visitor: PortalVisitor, call: StaffCall): Promise<PageOrReply> => {
    const command = { type: 'Leave', member: visitor.me.member } as const
    await needs.handle(staffs, visitor.shop.merchant, command, contextOfStaff(call, visitor))
    return visits.go(visitor, '/portal/')
  }

  const withdraw = async (visitor: PortalVisitor, call: StaffCall): Promise<PageOrReply> => {
    const { shop, me } = visitor
    const about = { merchant: shop.merchant, change: fieldOf(call.body, 'attempt') }
    await needs.withdrawChange(
      { ...about, kind: 'owner' },
      me.member,
      contextOfStaff(call, visitor),
    )
    return done(visitor, 'withdrawn')
  }

  const endSession = async (visitor: PortalVisitor, call: StaffCall): Promise<PageOrReply> => {
    const { payer } = visitor.session
    const session = fieldOf(call.body, 'session')
    const isTheirs = needs.devicesOf(payer, call.at).some((one) => one.session === session)
    if (!isTheirs) return refuse('resource_is_unknown')
    await needs.signOut(payer, session, contextOfPayer(call, payer))
    return done(visitor, 'ended')
  }

  return { remove, leave, endSession, withdraw }
}

/** Each shows its form again when something is wrong, else goes back to the page. */
export const staffChanges = (needs: StaffPagesNeeds, visits: Visits, confirm: Confirm) => ({
  ...changesOfRoles(needs, visits, confirm),
  ...ends(needs, visits, confirm),
})
