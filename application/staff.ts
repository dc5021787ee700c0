import { payers, staffs } from '../domain/aggregates.ts'
import { isOwner, ownersNotifiedMs, staffActor, wasOwner } from '../domain/merchant/staff.ts'
import type { StaffTerms } from '../domain/merchant/staff-roles.ts'
import type { Profile } from '../domain/people/profile.ts'
import { refuse } from '../domain/refusal.ts'
import {
  memberOf,
  type AnyTerms,
  type MemberCommand,
  type Members,
} from '../domain/staff-members.ts'
import type { Instant } from '../domain/time.ts'
import type { Aggregate, DecidedEvent } from './find-state.ts'
import type { Context } from './handle.ts'
import { readName, sealName, type PeopleWork } from './people.ts'

export type StaffNeeds = PeopleWork & {
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  /** The account that last proved a number. */
  readonly holderOf: (phone: string) => Promise<string | undefined>
  /** Deterministic for a person and a staff, and unique per pair. */
  readonly memberIdOf: (staff: string, person: string) => string
}

/** Whether it is a merchant's staff or the operator's. */
type Kind<Terms extends AnyTerms> = {
  readonly aggregate: Aggregate<MemberCommand<Terms>, DecidedEvent, Members<Terms>>
  /** The actor name of a member. */
  readonly actorOf: (member: string) => string
}

type InvitationRequest<Terms> = {
  readonly phone: string
  readonly terms: Terms
  readonly by?: string
}

/** Maximum number of merchants listed for one person. */
const mostMerchants = 500

/** The account, and persons named by numbers that now belong to it. */
const personsOf = async (
  { find }: Pick<StaffNeeds, 'find'>,
  payer: string,
): Promise<readonly string[]> => {
  const account = await find(payers, payer)
  return account.status === 'present' ? [payer, ...account.absorbed] : []
}

/** Invites somebody, or adds an account directly if its number is proved. */
const ask =
  <Terms extends AnyTerms>(needs: StaffNeeds, { aggregate }: Kind<Terms>) =>
  async (
    staff: string,
    { phone, terms, by }: InvitationRequest<Terms>,
    isAdded: boolean,
    context: Context,
  ) => {
    const { handle, people } = needs
    const account = await needs.holderOf(phone)
    const person = account ?? (await people.personFor(phone))
    const member = needs.memberIdOf(staff, person)
    const sealed = sealName(people, person, phone)
    const type = isAdded && account !== undefined ? 'Add' : 'Invite'
    const command = { type, member, person, phone: sealed, terms, by } as const
    const { state, events } = await handle(aggregate, staff, command, context)
    const hasJoined = memberOf(state, member)?.status === 'joined'
    return { member, hasJoined, isNew: events.length > 0 }
  }

/**
 * An invitation is for the account that has proved its number. @throws Refusal resource_is_unknown
 */
const accept =
  <Terms extends AnyTerms>(needs: StaffNeeds, { aggregate, actorOf }: Kind<Terms>) =>
  async (staff: string, member: string, payer: string, context: Context): Promise<void> => {
    const { find, handle, people } = needs
    const account = await find(payers, payer)
    const invited = memberOf(await find(aggregate, staff, 'log'), member)
    const persons = await personsOf(needs, payer)
    const profile = await needs.findProfile(payer)
    const isProved = account.status === 'present' && account.hasNumber && profile?.isPhoneVerified
    const isTheirs = invited !== undefined && persons.includes(invited.person)
    const isSameNumber = invited !== undefined && readName(people, invited.phone) === profile?.phone
    if (!isProved || !isTheirs || !isSameNumber) return refuse('resource_is_unknown')
    const command = { type: 'Join', member, person: payer } as const
    await handle(aggregate, staff, command, { ...context, actor: actorOf(member) })
  }

/** Staff membership and invitations. */
export const staffOf = <Terms extends AnyTerms>(needs: StaffNeeds, kind: Kind<Terms>) => {
  const invite = ask(needs, kind)
  return {
    memberIdOf: needs.memberIdOf,
    findStaff: async (staff: string): Promise<Members<Terms>> =>
      needs.find(kind.aggregate, staff, 'log'),
    /** @throws Refusal person_is_on_the_staff_already, staff_is_too_large, role_forbids_it */
    inviteStaff: (staff: string, invitation: InvitationRequest<Terms>, context: Context) =>
      invite(staff, invitation, false, context),
    addStaff: (staff: string, invitation: InvitationRequest<Terms>, context: Context) =>
      invite(staff, invitation, true, context),
    acceptInvitation: accept(needs, kind),
    personsOf: (payer: string) => personsOf(needs, payer),
    /** The invited number; undefined once the person is erased. */
    invitedNumber: (phone: string): string | undefined => readName(needs.people, phone),
    profileOf: needs.findProfile,
    nameOf: async (person: string): Promise<string | undefined> =>
      (await needs.findProfile(person))?.name,
  }
}

type Place = { readonly merchant: string; readonly member: string; readonly hasJoined: boolean }

type Rows = {
  ofPerson(person: string, limit: number): readonly Place[]
  lately(person: string, since: Instant, limit: number): readonly Place[]
}

/** The staff of merchants. */
export const makeStaff = ({
  caughtUp,
  rows,
  ...needs
}: StaffNeeds & { readonly caughtUp: () => Promise<void>; readonly rows: Rows }) => {
  const staff = staffOf<StaffTerms>(needs, { aggregate: staffs, actorOf: staffActor })
  return {
    ...staff,
    /** Adds an account to the staff. */
    enlist: async (
      merchant: string,
      { payer, phone, terms }: { payer: string; phone: string; terms: StaffTerms },
      context: Context,
    ): Promise<void> => {
      const member = needs.memberIdOf(merchant, payer)
      const about = { member, person: payer, phone: sealName(needs.people, payer, phone), terms }
      await needs.handle(staffs, merchant, { type: 'Add', ...about }, context)
    },
    /** Where somebody works or is invited to work. */
    placesOf: async (payer: string) => {
      await caughtUp()
      const persons = await personsOf(needs, payer)
      return persons.flatMap((person) => rows.ofPerson(person, mostMerchants))
    },
    /** Where somebody is no owner any more, but was one lately. */
    ownedLately: async (payer: string, at: Instant) => {
      await caughtUp()
      const gone = rows.lately(payer, at - ownersNotifiedMs, mostMerchants)
      const places = [...rows.ofPerson(payer, mostMerchants), ...gone]
      const found = places.map(async ({ merchant, member }) => {
        const { members } = await staff.findStaff(merchant)
        const one = members.find((each) => each.member === member)
        return one && wasOwner(one, at) && !isOwner(one) ? [{ merchant, member }] : []
      })
      return (await Promise.all(found)).flat()
    },
  }
}

export type StaffWork = ReturnType<typeof makeStaff>
