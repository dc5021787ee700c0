import { z } from 'zod'
import type { Causes } from '../causes.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { jsonEquals } from '../json-equality.ts'
import { refuse } from '../refusal.ts'
import type { Instant } from '../time.ts'
import { mayDo, staffTerms, type StaffTerms } from './staff-roles.ts'

/** The same for no two merchants, so that it tells none of them who works for another. */
const member = z.string()
/** As in the vault; the account of whoever has one. */
const person = z.string()

/** Streams `staff-<merchant>`. */
export const staffEvents = {
  /** `phone`: the number that was invited, sealed. */
  StaffInvited: z.object({ member, person, phone: z.string(), terms: staffTerms }),
  /** `person`: whose account it is; another than was invited when the number has moved there. */
  StaffJoined: z.object({ member, person }),
  StaffRoleChanged: z.object({ member, terms: staffTerms }),
  StaffRemoved: z.object({ member }),
  StaffLeft: z.object({ member }),
  /** At most once in a while. */
  StaffVisited: z.object({ member }),
} as const

type StaffEvent = EventsOf<typeof staffEvents>

/** When somebody looked, and where the log ended then. */
type Visit = { readonly at: Instant; readonly position: number }

export type StaffMember = {
  readonly member: string
  readonly person: string
  readonly phone: string
  readonly terms: StaffTerms
  readonly status: 'invited' | 'joined' | 'gone'
  readonly since: Instant
  /** The newest visit, and the one before it. */
  readonly visits: readonly Visit[]
}

/** Everybody who has ever been asked, the newest last. */
export type Staff = { readonly members: readonly StaffMember[] }

type Invitation = z.output<(typeof staffEvents)['StaffInvited']>

type StaffCommand = {
  /** Of whoever orders it; absent for the operator. */
  readonly by?: string | undefined
} & (
  | ({ readonly type: 'Invite' } & Invitation)
  /** Whom the operator adds has joined. */
  | ({ readonly type: 'Add' } & Invitation)
  | { readonly type: 'Join'; readonly member: string; readonly person: string }
  | { readonly type: 'ChangeRole'; readonly member: string; readonly terms: StaffTerms }
  | { readonly type: 'Remove'; readonly member: string }
  | { readonly type: 'Leave'; readonly member: string }
  | { readonly type: 'Visit'; readonly member: string }
)

const mostPresent = 200
/** Visits that follow one another so soon are one. */
export const visitMs = 1_800_000

export const memberOf = ({ members }: Staff, id: string): StaffMember | undefined =>
  members.find((one) => one.member === id && one.status !== 'gone')

/** Whoever has joined with this account. */
export const staffOfPerson = ({ members }: Staff, id: string): StaffMember | undefined =>
  members.find((one) => one.person === id && one.status === 'joined')

const isOwner = ({ status, terms }: StaffMember): boolean =>
  status === 'joined' && terms.role === 'owner'

const known = (staff: Staff, id: string): StaffMember =>
  memberOf(staff, id) ?? refuse('resource_is_unknown')

const checkOrder = (staff: Staff, { by, type }: StaffCommand): void => {
  if (by === undefined || type === 'Join' || type === 'Leave' || type === 'Visit') return
  const orders = memberOf(staff, by)
  if (orders?.status !== 'joined' || !mayDo(orders.terms, 'change_staff')) refuse('role_forbids_it')
}

/** A merchant that has an owner keeps one. */
const keepOwner = (staff: Staff, leaving: StaffMember): void => {
  const others = staff.members.filter((one) => isOwner(one) && one.member !== leaving.member)
  if (isOwner(leaving) && others.length === 0) refuse('last_owner_is_needed')
}

const invite = (staff: Staff, { member, person, phone, terms }: Invitation): StaffEvent[] => {
  const present = staff.members.filter(({ status }) => status !== 'gone')
  const earlier = present.find((one) => one.person === person)
  if (earlier)
    return jsonEquals(earlier.terms, terms) ? [] : refuse('person_is_on_the_staff_already')
  if (present.length >= mostPresent) return refuse('staff_is_too_large')
  return [{ type: 'StaffInvited', data: { member, person, phone, terms } }]
}

const join = (staff: Staff, { member, person }: { member: string; person: string }) => {
  const invited = known(staff, member)
  if (invited.status === 'joined')
    return invited.person === person ? [] : refuse('resource_is_unknown')
  if (staffOfPerson(staff, person)) return refuse('person_is_on_the_staff_already')
  return [{ type: 'StaffJoined', data: { member, person } } as const]
}

const add = (staff: Staff, invitation: Invitation): StaffEvent[] => {
  const invited = invite(staff, invitation)
  const { person } = invitation
  const earlier = staff.members.find((one) => one.person === person && one.status === 'invited')
  const waiting = earlier?.member ?? (invited.length > 0 ? invitation.member : undefined)
  if (waiting === undefined) return invited
  return [...invited, { type: 'StaffJoined', data: { member: waiting, person } }]
}

const decide = (command: StaffCommand, staff: Staff): readonly StaffEvent[] => {
  checkOrder(staff, command)
  switch (command.type) {
    case 'Invite':
      return invite(staff, command)
    case 'Add':
      return add(staff, command)
    case 'Join':
      return join(staff, command)
    case 'ChangeRole': {
      const { member, terms } = command
      const before = known(staff, member)
      if (jsonEquals(before.terms, terms)) return []
      if (terms.role !== 'owner') keepOwner(staff, before)
      return [{ type: 'StaffRoleChanged', data: { member, terms } }]
    }
    case 'Remove':
    case 'Leave': {
      const { type, member } = command
      const leaving = known(staff, member)
      keepOwner(staff, leaving)
      return [{ type: type === 'Leave' ? 'StaffLeft' : 'StaffRemoved', data: { member } }]
    }
    case 'Visit':
      known(staff, command.member)
      return [{ type: 'StaffVisited', data: { member: command.member } }]
  }
}

const evolveMember = (one: StaffMember, event: StaffEvent, at: Visit): StaffMember => {
  switch (event.type) {
    case 'StaffInvited':
      return one
    case 'StaffJoined':
      return { ...one, person: event.data.person, status: 'joined', since: at.at }
    case 'StaffRoleChanged':
      return { ...one, terms: event.data.terms }
    case 'StaffRemoved':
    case 'StaffLeft':
      return { ...one, status: 'gone', since: at.at }
    case 'StaffVisited':
      return { ...one, visits: [at, ...one.visits].slice(0, 2) }
  }
}

/** Who works for a merchant, and as what. */
export const staff: Decider<StaffCommand, StaffEvent, Staff> = {
  initial: { members: [] },
  decide,
  evolve({ members }, event, { at, position }) {
    if (event.type === 'StaffInvited') {
      const invited = { ...event.data, status: 'invited', since: at, visits: [] } as const
      const others = members.filter((one) => one.member !== invited.member)
      return { members: [...others, invited] }
    }
    const changed = (one: StaffMember): StaffMember =>
      one.member === event.data.member ? evolveMember(one, event, { at, position }) : one
    return { members: members.map(changed) }
  },
}

/** An addition is an invitation that is accepted at the same moment. */
export const staffCauses: Causes<StaffCommand, StaffEvent, Staff> = {
  StaffInvited: (data, { next }) => {
    const isAdded = next.some(
      ({ type, data: { member } }) => type === 'StaffJoined' && member === data.member,
    )
    return isAdded ? [{ type: 'Add', ...data }] : [{ type: 'Invite', ...data }]
  },
  StaffJoined: (data) => [{ type: 'Join', ...data }],
  StaffRoleChanged: (data) => [{ type: 'ChangeRole', ...data }],
  StaffRemoved: (data) => [{ type: 'Remove', ...data }],
  StaffLeft: (data) => [{ type: 'Leave', ...data }],
  StaffVisited: (data) => [{ type: 'Visit', ...data }],
}
