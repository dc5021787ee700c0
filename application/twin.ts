import { payers, staffs } from '../domain/aggregates.ts'
import type { StaffTerms } from '../domain/merchant/staff-roles.ts'
import { plainProfile } from '../domain/people/profile.ts'
import { ignoreRefusal } from '../domain/refusal.ts'
import { memberOfPerson } from '../domain/staff-members.ts'
import type { TimeZone } from '../domain/time-zone.ts'
import type { Caused, Context } from './handle.ts'
import type { Credentials } from './payers.ts'
import type { PeopleWork } from './people.ts'
import { registerPayer } from './register-payer.ts'
import type { StaffWork } from './staff.ts'

/** A merchant in production and somebody on its staff, as the sandbox is told: nobody is named. */
export type TwinArrival = {
  readonly merchant: string
  readonly businessName: string
  readonly currency: string
  /** ISO 3166; null where it is not known. */
  readonly country: string | null
  readonly timeZone: TimeZone
  readonly terms: StaffTerms
  /** Stands for the person, in the sandbox alone. */
  readonly person: string
}

type TwinNeeds = PeopleWork &
  Pick<StaffWork, 'findStaff' | 'enlist'> & {
    /** Makes what is missing of it. */
    readonly makeTestShop: (arrival: TwinArrival, context: Context) => Promise<void>
    /** Digits that are nobody's number. */
    readonly numberOf: (person: string) => string
    /** With which nobody signs in; a one-time code is shown in the sandbox. */
    readonly newCredentials: () => Promise<Credentials>
  }

/** Makes what is missing of the merchant's twin; returns the person's account there. */
export const arriveAtTwin = (needs: TwinNeeds) => {
  const register = registerPayer(needs)
  return async (arrival: TwinArrival, caused: Caused): Promise<string> => {
    const { merchant, terms, businessName } = arrival
    const context = { ...caused, merchant, actor: 'sandbox' }
    await needs.makeTestShop(arrival, context)
    const phone = needs.numberOf(arrival.person)
    const known = needs.people.findPerson(phone)
    const hasAccount = known !== undefined && (await needs.find(payers, known)).status === 'present'
    const profile = { ...plainProfile(businessName, phone), isPhoneVerified: false }
    const payer = hasAccount
      ? known
      : await register(
          { profile, credentials: await needs.newCredentials() },
          { ...context, merchant: null },
        )
    const me = memberOfPerson(await needs.findStaff(merchant), payer)
    const change = { type: 'ChangeRole', member: me?.member ?? '', terms } as const
    // The last owner of the twin stays one.
    if (me) await needs.handle(staffs, merchant, change, context).catch(ignoreRefusal)
    else await needs.enlist(merchant, { payer, phone, terms }, context)
    return payer
  }
}
