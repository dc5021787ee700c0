import { accountChanges, ownerChanges, staffs } from '../domain/aggregates.ts'
import {
  type RequestedOwnerChange,
  isOwner,
  staffActor,
  wasOwner,
} from '../domain/merchant/staff.ts'
import type { StaffTerms } from '../domain/merchant/staff-roles.ts'
import { Refusal, refuse } from '../domain/refusal.ts'
import { memberOf } from '../domain/staff-members.ts'
import type { WhyWithdrawn } from '../domain/waiting-change.ts'
import { checkFactors, finishWhenDue } from './change-accounts.ts'
import type { Context, Deciding } from './handle.ts'
import type { StaffWork } from './staff.ts'

/**
 * Requests that an owner is removed or gets another role. @throws Refusal role_forbids_it,
 * last_owner_is_needed, owner_change_is_waiting, factors_changed_lately
 */
const askOwnerChange =
  (needs: Deciding) =>
  async (
    merchant: string,
    asking: Omit<RequestedOwnerChange, 'takesEffectAt'>,
    context: Context,
  ): Promise<void> => {
    const { handle, find } = needs
    const { members } = await find(staffs, merchant, 'log')
    const owners = members.filter(isOwner)
    if (!owners.some(({ member }) => member === asking.by)) return refuse('role_forbids_it')
    if (!owners.some(({ member }) => member === asking.member)) refuse('resource_is_unknown')
    if (owners.length < 2) refuse('last_owner_is_needed')
    await checkFactors(needs)(merchant, asking.by, context.at)
    const command = { type: 'AskOwnerChange', at: context.at, ...asking } as const
    await handle(ownerChanges, merchant, command, context)
  }

/** What one member of the staff does about another. */
type ByMember = {
  readonly member: string
  /** Who does it. */
  readonly by: string
  /** Id of the request, where it has to wait. */
  readonly change: string
}

/**
 * Removes a member (null), or gives another role. That somebody is no longer an owner waits; nobody
 * becomes an owner by whoever has just taken over an owner's factors. @returns what was done
 * @throws Refusal as `askOwnerChange`, and as the staff decides
 */
export const changeMember =
  (needs: Deciding) =>
  async (
    merchant: string,
    { member, by, change, terms }: ByMember & { readonly terms: StaffTerms | null },
    context: Context,
  ): Promise<'asked' | 'saved' | 'removed'> => {
    const { handle, find } = needs
    const about = memberOf(await find(staffs, merchant, 'log'), member)
    if (about && isOwner(about) && terms?.role !== 'owner') {
      await askOwnerChange(needs)(merchant, { change, member, terms, by }, context)
      return 'asked'
    }
    if (terms === null) {
      await handle(staffs, merchant, { type: 'Remove', member, by }, context)
      return 'removed'
    }
    if (terms.role === 'owner') await checkFactors(needs)(merchant, by, context.at)
    await handle(staffs, merchant, { type: 'ChangeRole', member, terms, by }, context)
    return 'saved'
  }

/** @throws Refusal factors_changed_lately, and as `inviteStaff` */
export const inviteMember =
  (needs: Pick<Deciding, 'find'> & Pick<StaffWork, 'inviteStaff'>) =>
  async (
    merchant: string,
    invitation: Parameters<StaffWork['inviteStaff']>[1] & { readonly by: string },
    context: Context,
  ): Promise<void> => {
    if (invitation.terms.role === 'owner')
      await checkFactors(needs)(merchant, invitation.by, context.at)
    await needs.inviteStaff(merchant, invitation, context)
  }

/** What a former owner can withdraw as well. */
export const waitingKinds = ['account', 'owner'] as const

export type WaitingKind = (typeof waitingKinds)[number]

/** By whoever is an owner or was lately. @throws Refusal resource_is_unknown */
export const withdrawChange =
  ({ handle, find }: Deciding) =>
  async (
    { merchant, kind, change }: { merchant: string; kind: WaitingKind; change: string },
    member: string,
    origin: Context,
  ): Promise<void> => {
    const { members } = await find(staffs, merchant, 'log')
    const one = members.find((each) => each.member === member)
    if (!one || !wasOwner(one, origin.at)) return refuse('resource_is_unknown')
    const context = { ...origin, actor: staffActor(member) }
    const by = member
    if (kind === 'account') {
      const command = { type: 'WithdrawAccountChange', change, by } as const
      await handle(accountChanges, merchant, command, context)
    } else {
      const command = { type: 'WithdrawOwnerChange', change, by } as const
      await handle(ownerChanges, merchant, command, context)
    }
  }

type Needs = Deciding & Parameters<typeof finishWhenDue<RequestedOwnerChange>>[0]

/** Why the change could not be made; undefined if it is, or if nothing is left to change. */
const made = async (
  { handle, find }: Deciding,
  merchant: string,
  { by, member, terms }: RequestedOwnerChange,
  context: Context,
): Promise<WhyWithdrawn | undefined> => {
  const staff = await find(staffs, merchant, 'log')
  const asker = memberOf(staff, by)
  if (!asker || !isOwner(asker)) return 'asker_is_no_owner'
  const about = memberOf(staff, member)
  if (!about || !isOwner(about)) return undefined
  const command =
    terms === null
      ? ({ type: 'Remove', member } as const)
      : ({ type: 'ChangeRole', member, terms } as const)
  try {
    await handle(staffs, merchant, command, context)
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.code === 'last_owner_is_needed') return error.code
    throw error
  }
}

/**
 * Removes owners and changes their roles as requested a day before. Withdraws a request if by then
 * the requester is no longer an owner, or nobody else would be one.
 */
export const changeOwners = (needs: Needs) =>
  finishWhenDue<RequestedOwnerChange>(needs, async ({ merchant, asked }, at) => {
    const { handle, find } = needs
    const { change } = asked
    // It may have been withdrawn since the row was read.
    const { waiting } = await find(ownerChanges, merchant, 'log')
    if (waiting?.change !== change) return
    const context = { at, merchant, actor: 'daybook', correlationId: change }
    const why = await made(needs, merchant, asked, context)
    if (why === undefined) {
      await handle(ownerChanges, merchant, { type: 'FinishOwnerChange', change, at }, context)
      return
    }
    const withdraw = { type: 'WithdrawOwnerChange', change, by: context.actor, why } as const
    await handle(ownerChanges, merchant, withdraw, context)
  })
