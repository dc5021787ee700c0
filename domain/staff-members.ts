import { jsonEquals } from './json-equality.ts'
import { refuse, type RefusalCode } from './refusal.ts'
import type { Instant } from './time.ts'

/** A role and its limits. */
export type AnyTerms = { readonly role: string }

/** Time of a visit, and the end of the log at that time. */
type Visit = { readonly at: Instant; readonly position: number }

/** `phone`: the invited number, sealed. */
export type Invitation<Terms> = {
  readonly member: string
  readonly person: string
  readonly phone: string
  readonly terms: Terms
  /** The member who invited them; absent for the operator, and in old events. */
  readonly by?: string | undefined
}

export type Member<Terms> = Invitation<Terms> & {
  readonly status: 'invited' | 'joined' | 'gone'
  readonly since: Instant
  /** The newest visit, and the one before it. */
  readonly visits: readonly Visit[]
  /** When they last ceased to lead. */
  readonly ledUntil?: Instant
}

/** Everybody ever invited, newest last. */
export type Members<Terms> = { readonly members: readonly Member<Terms>[] }

export type MemberCommand<Terms> = {
  /** The member who orders it; absent for commands of the operator. */
  readonly by?: string | undefined
} & (
  | ({ readonly type: 'Invite' } & Invitation<Terms>)
  /** A member added by the operator joins without accepting. */
  | ({ readonly type: 'Add' } & Invitation<Terms>)
  | { readonly type: 'Join'; readonly member: string; readonly person: string }
  | { readonly type: 'ChangeRole'; readonly member: string; readonly terms: Terms }
  | { readonly type: 'Remove'; readonly member: string }
  | { readonly type: 'Leave'; readonly member: string }
  | { readonly type: 'Visit'; readonly member: string }
)

export type OfMember = { readonly member: string }

export type Change<Terms> =
  | { readonly kind: 'Invited'; readonly data: Invitation<Terms> }
  | { readonly kind: 'Joined'; readonly data: OfMember & { readonly person: string } }
  | { readonly kind: 'RoleChanged'; readonly data: OfMember & { readonly terms: Terms } }
  | { readonly kind: 'Removed' | 'Left' | 'Visited'; readonly data: OfMember }

export type Rules<Terms> = {
  readonly mayChange: (terms: Terms) => boolean
  /** At least one member who leads must remain. */
  readonly leads: (terms: Terms) => boolean
  /** The refusal when the last leading member would go. */
  readonly lastLeads: RefusalCode
  /** Whether a member takes the lead from another only through a request that waits. */
  readonly endWaits?: true
}

const mostPresent = 200
/** Visits less than this apart count as one. */
export const visitMs = 1_800_000

export const memberOf = <Terms>(
  { members }: Members<Terms>,
  id: string,
): Member<Terms> | undefined => members.find((one) => one.member === id && one.status !== 'gone')

/** The member who joined with this account. */
export const memberOfPerson = <Terms>(
  { members }: Members<Terms>,
  id: string,
): Member<Terms> | undefined => members.find((one) => one.person === id && one.status === 'joined')

const known = <Terms>(staff: Members<Terms>, id: string): Member<Terms> =>
  memberOf(staff, id) ?? refuse('resource_is_unknown')

const invite = <Terms>(staff: Members<Terms>, invitation: Invitation<Terms>): Change<Terms>[] => {
  const { member, person, phone, terms, by } = invitation
  const present = staff.members.filter(({ status }) => status !== 'gone')
  const earlier = present.find((one) => one.person === person)
  if (earlier)
    return jsonEquals(earlier.terms, terms) ? [] : refuse('person_is_on_the_staff_already')
  if (present.length >= mostPresent) return refuse('staff_is_too_large')
  const data = { member, person, phone, terms, ...(by !== undefined && { by }) }
  return [{ kind: 'Invited', data }]
}

/** The open invitations of a member end once that member can no longer invite. */
const fallen = <Terms>({ members }: Members<Terms>, inviter: string): Change<Terms>[] =>
  members
    .filter(({ status, by }) => status === 'invited' && by === inviter)
    .map(({ member }) => ({ kind: 'Removed', data: { member } }))

const join = <Terms>(
  staff: Members<Terms>,
  { member, person }: { readonly member: string; readonly person: string },
): Change<Terms>[] => {
  const invited = known(staff, member)
  if (invited.status === 'joined')
    return invited.person === person ? [] : refuse('resource_is_unknown')
  if (memberOfPerson(staff, person)) return refuse('person_is_on_the_staff_already')
  return [{ kind: 'Joined', data: { member, person } }]
}

const add = <Terms>(staff: Members<Terms>, invitation: Invitation<Terms>): Change<Terms>[] => {
  const invited = invite(staff, invitation)
  const { person } = invitation
  const earlier = staff.members.find((one) => one.person === person && one.status === 'invited')
  const waiting = earlier?.member ?? (invited.length > 0 ? invitation.member : undefined)
  if (waiting === undefined) return invited
  return [...invited, { kind: 'Joined', data: { member: waiting, person } }]
}

const isLeadingBy =
  <Terms>({ leads }: Pick<Rules<Terms>, 'leads'>) =>
  ({ status, terms }: Member<Terms>): boolean =>
    status === 'joined' && leads(terms)

/** Makes `decide` for a staff with these rules. */
export const deciding = <Terms extends AnyTerms>(rules: Rules<Terms>) => {
  const { mayChange, leads, lastLeads, endWaits } = rules
  const isLeading = isLeadingBy(rules)

  const checkOrder = (staff: Members<Terms>, { by, type }: MemberCommand<Terms>): void => {
    if (by === undefined || type === 'Join' || type === 'Leave' || type === 'Visit') return
    const orders = memberOf(staff, by)
    if (orders?.status !== 'joined' || !mayChange(orders.terms)) refuse('role_forbids_it')
  }

  const checkWaited = (before: Member<Terms>, { by }: MemberCommand<Terms>): void => {
    if (endWaits && by !== undefined && isLeading(before)) refuse('owner_change_must_wait')
  }

  const keepLeader = ({ members }: Members<Terms>, leaving: Member<Terms>): void => {
    const others = members.filter((one) => isLeading(one) && one.member !== leaving.member)
    if (isLeading(leaving) && others.length === 0) refuse(lastLeads)
  }

  return (command: MemberCommand<Terms>, staff: Members<Terms>): readonly Change<Terms>[] => {
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
        if (!leads(terms)) {
          checkWaited(before, command)
          keepLeader(staff, before)
        }
        const ended = mayChange(terms) ? [] : fallen(staff, member)
        return [{ kind: 'RoleChanged', data: { member, terms } }, ...ended]
      }
      case 'Remove':
      case 'Leave': {
        const { type, member } = command
        if (type === 'Remove') checkWaited(known(staff, member), command)
        keepLeader(staff, known(staff, member))
        const kind = type === 'Leave' ? 'Left' : 'Removed'
        return [{ kind, data: { member } }, ...fallen(staff, member)]
      }
      case 'Visit':
        known(staff, command.member)
        return [{ kind: 'Visited', data: { member: command.member } }]
    }
  }
}

const evolveMember = <Terms>(
  one: Member<Terms>,
  { kind, data }: Change<Terms>,
  at: Visit,
): Member<Terms> => {
  switch (kind) {
    case 'Invited':
      return one
    case 'Joined':
      return { ...one, person: data.person, status: 'joined', since: at.at }
    case 'RoleChanged':
      return { ...one, terms: data.terms }
    case 'Removed':
    case 'Left':
      return { ...one, status: 'gone', since: at.at }
    case 'Visited':
      return { ...one, visits: [at, ...one.visits].slice(0, 2) }
  }
}

export const evolved = <Terms>(
  { members }: Members<Terms>,
  change: Change<Terms>,
  at: Visit,
  rules: Pick<Rules<Terms>, 'leads'>,
): Members<Terms> => {
  if (change.kind === 'Invited') {
    const before = members.find((one) => one.member === change.data.member)
    const led = before?.ledUntil === undefined ? {} : { ledUntil: before.ledUntil }
    const invited = { ...change.data, status: 'invited', since: at.at, visits: [], ...led } as const
    const others = members.filter((one) => one.member !== invited.member)
    return { members: [...others, invited] }
  }
  const { member } = change.data
  const isLeading = isLeadingBy(rules)
  const changed = (one: Member<Terms>) => {
    if (one.member !== member) return one
    const after = evolveMember(one, change, at)
    return isLeading(one) && !isLeading(after) ? { ...after, ledUntil: at.at } : after
  }
  return { members: members.map(changed) }
}
