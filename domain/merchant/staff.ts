import type { Member, Members } from '../staff-members.ts'
import { staffRegister } from '../staff-register.ts'
import { mayDo, staffTerms, type StaffTerms } from './staff-roles.ts'

/** A merchant's staff and their roles. Streams `staff-<merchant>`. */
export const staff = staffRegister('Staff', staffTerms, {
  mayChange: (terms) => mayDo(terms, 'change_staff'),
  leads: ({ role }) => role === 'owner',
  lastLeads: 'last_owner_is_needed',
})

export type StaffMember = Member<StaffTerms>
export type Staff = Members<StaffTerms>

const actorPrefix = 'staff:'

/** The actor name of a member who acts for a merchant. */
export const staffActor = (member: string): string => `${actorPrefix}${member}`

export const isStaffActor = (actor: string): boolean => actor.startsWith(actorPrefix)
