import type { Member, Members } from '../staff-members.ts'
import { staffRegister } from '../staff-register.ts'
import { dayMs, type Instant } from '../time.ts'
import { mayDo, staffTerms, type StaffTerms } from './staff-roles.ts'
import { z } from 'zod'
import { waitingChange, type RequestedChange } from '../waiting-change.ts'

export const ownerChangeFields = {
  /** The owner. */
  member: z.string(),
  /** The other role; null to remove them from the staff. */
  terms: staffTerms.nullable(),
}

/** An owner requests that one is no longer an owner. Changes by the operator apply at once. */
export const ownerChange = waitingChange(
  'OwnerChange',
  ownerChangeFields,
  'owner_change_is_waiting',
)

export type RequestedOwnerChange = RequestedChange<z.output<z.ZodObject<typeof ownerChangeFields>>>

/** A merchant's staff and their roles. Streams `staff-<merchant>`. */
export const staff = staffRegister('Staff', staffTerms, {
  mayChange: (terms) => mayDo(terms, 'change_staff'),
  leads: ({ role }) => role === 'owner',
  lastLeads: 'last_owner_is_needed',
  endWaits: true,
})

export type StaffMember = Member<StaffTerms>

export type Staff = Members<StaffTerms>

/** How long a former owner is still told of changes, and can withdraw them. */
export const ownersNotifiedMs = 30 * dayMs

export const isOwner = ({ status, terms }: StaffMember): boolean =>
  status === 'joined' && terms.role === 'owner'

/** Whether they are an owner, or were lately. */
export const wasOwner = (one: StaffMember, at: Instant): boolean =>
  isOwner(one) || (one.ledUntil !== undefined && at - one.ledUntil < ownersNotifiedMs)

const actorPrefix = 'staff:'

/** The actor name of a member who acts for a merchant. */
export const staffActor = (member: string): string => `${actorPrefix}${member}`

export const isStaffActor = (actor: string): boolean => actor.startsWith(actorPrefix)
