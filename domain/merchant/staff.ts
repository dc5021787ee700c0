import type { Member, Members } from '../staff-members.ts'
import { staffRegister } from '../staff-register.ts'
import { mayDo, staffTerms, type StaffTerms } from './staff-roles.ts'

/** Who works for a merchant, and as what. Streams `staff-<merchant>`. */
export const staff = staffRegister('Staff', staffTerms, {
  mayChange: (terms) => mayDo(terms, 'change_staff'),
  leads: ({ role }) => role === 'owner',
  lastLeads: 'last_owner_is_needed',
})

export type StaffMember = Member<StaffTerms>
export type Staff = Members<StaffTerms>

const actorPrefix = 'staff:'

/** As actor of whatever somebody does for a merchant. */
export const staffActor = (member: string): string => `${actorPrefix}${member}`

export const isStaffActor = (actor: string): boolean => actor.startsWith(actorPrefix)
