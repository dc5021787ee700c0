import { payers, staffs } from '../domain/aggregates.ts'
import { memberOf, type Staff } from '../domain/merchant/staff.ts'
import type { StaffTerms } from '../domain/merchant/staff-roles.ts'
import type { Profile } from '../domain/people/profile.ts'
import { refuse } from '../domain/refusal.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'
import { readName, sealName, type People } from './people.ts'

type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly people: People
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  /** The account that has proved a number last. */
  readonly holderOf: (phone: string) => Promise<string | undefined>
  /** The same for a person and a merchant, and alike for no two. */
  readonly memberIdOf: (merchant: string, person: string) => string
  readonly caughtUp: () => Promise<void>
  readonly rows: {
    ofPerson(
      person: string,
      limit: number,
    ): readonly {
      readonly merchant: string
      readonly member: string
      readonly hasJoined: boolean
    }[]
  }
}

type Asked = { readonly phone: string; readonly terms: StaffTerms; readonly by?: string }

/** As actor of whatever somebody does for a merchant. */
export const staffActor = (member: string): string => `staff:${member}`

/** Merchants that a page lists for one person. */
const mostMerchants = 500

/** The account, and persons named by numbers that have become its. */
const personsOf = async ({ find }: Needs, payer: string): Promise<readonly string[]> => {
  const account = await find(payers, payer)
  return account.status === 'present' ? [payer, ...account.absorbed] : []
}

/** Asks somebody, or enlists an account whose number is proved. */
const ask =
  (needs: Needs) =>
  async (merchant: string, { phone, terms, by }: Asked, isAdded: boolean, context: Context) => {
    const { handle, people } = needs
    const account = await needs.holderOf(phone)
    const person = account ?? (await people.personFor(phone))
    const member = needs.memberIdOf(merchant, person)
    const sealed = sealName(people, person, phone)
    const type = isAdded && account !== undefined ? 'Add' : 'Invite'
    const command = { type, member, person, phone: sealed, terms, by } as const
    const { state } = await handle(staffs, merchant, command, context)
    return { member, hasJoined: memberOf(state, member)?.status === 'joined' }
  }

/** An invitation is for whoever has proved its number. @throws Refusal resource_is_unknown */
const accept =
  (needs: Needs) =>
  async (merchant: string, member: string, payer: string, context: Context): Promise<void> => {
    const { find, handle, people } = needs
    const account = await find(payers, payer)
    const invited = memberOf(await find(staffs, merchant, 'log'), member)
    const persons = await personsOf(needs, payer)
    const profile = await needs.findProfile(payer)
    const isProved = account.status === 'present' && account.hasNumber && profile?.isPhoneVerified
    const isTheirs = invited !== undefined && persons.includes(invited.person)
    const isSameNumber = invited !== undefined && readName(people, invited.phone) === profile?.phone
    if (!isProved || !isTheirs || !isSameNumber) return refuse('resource_is_unknown')
    const command = { type: 'Join', member, person: payer } as const
    await handle(staffs, merchant, command, { ...context, actor: staffActor(member) })
  }

/** Who works for which merchant. */
export const makeStaff = (needs: Needs) => {
  const { find, caughtUp, rows, people } = needs
  const asked = ask(needs)
  return {
    memberIdOf: needs.memberIdOf,
    findStaff: async (merchant: string): Promise<Staff> => find(staffs, merchant, 'log'),
    /** @throws Refusal person_is_on_the_staff_already, staff_is_too_large, role_forbids_it */
    inviteStaff: (merchant: string, given: Asked, context: Context) =>
      asked(merchant, given, false, context),
    addStaff: (merchant: string, given: Asked, context: Context) =>
      asked(merchant, given, true, context),
    /** Makes an account one of the staff. */
    enlist: async (
      merchant: string,
      { payer, phone, terms }: { payer: string; phone: string; terms: StaffTerms },
      context: Context,
    ): Promise<void> => {
      const member = needs.memberIdOf(merchant, payer)
      const about = { member, person: payer, phone: sealName(people, payer, phone), terms }
      await needs.handle(staffs, merchant, { type: 'Add', ...about }, context)
    },
    acceptInvitation: accept(needs),
    /** Where somebody works, and where they are asked to. */
    placesOf: async (payer: string) => {
      await caughtUp()
      const persons = await personsOf(needs, payer)
      return persons.flatMap((person) => rows.ofPerson(person, mostMerchants))
    },
    /** The number that was invited; undefined once the person is erased. */
    invitedNumber: (phone: string): string | undefined => readName(people, phone),
    profileOf: needs.findProfile,
    nameOf: async (person: string): Promise<string | undefined> =>
      (await needs.findProfile(person))?.name,
  }
}

export type StaffWork = ReturnType<typeof makeStaff>
