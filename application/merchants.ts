import { impliedAccount, defaultAccount } from '../domain/accounting/settlement-account.ts'
import { merchants, organizations, settlementAccounts } from '../domain/aggregates.ts'
import {
  isTurnedDown,
  jurisdictionOf,
  newMerchant,
  type MerchantData,
} from '../domain/merchant/merchant.ts'
import { organizationNumber } from '../domain/merchant/organization.ts'
import { staffActor } from '../domain/merchant/staff.ts'
import { refuse } from '../domain/refusal.ts'
import { isEnabled, type Changes, isDisabled } from '../domain/register.ts'
import { within } from '../domain/stream.ts'
import type { TimeZone } from '../domain/time-zone.ts'
import type { Find } from './find-state.ts'
import type { Caused, Context, Deciding } from './handle.ts'
import type { StaffWork } from './staff.ts'

/** Refuses what payers give to a disabled merchant. @throws Refusal merchant_is_disabled */
export const refuseDisabled = async (find: Find, merchant: string): Promise<void> => {
  if (isDisabled(await find(merchants, merchant))) refuse('merchant_is_disabled')
}

export type ClaimNeeds = Deciding & {
  /** The merchant that has an organisation number. */
  readonly holderOfOrganization: (id: string) => string | undefined
}

/** After this a claim is given up if its merchant does not have the number, or is turned down. */
const claimMs = 3_600_000

const numberOf = ({ organizationId }: MerchantData): string | null =>
  organizationId === null ? null : organizationNumber(organizationId)

/** Claims an organisation number for a merchant. @throws Refusal organization_is_claimed */
export const claimOrganization =
  ({ handle, find, holderOfOrganization }: ClaimNeeds) =>
  async (
    merchant: string,
    organizationId: string,
    context: Context,
    isAgain = false,
  ): Promise<void> => {
    const number = organizationNumber(organizationId)
    const claimed = await find(organizations, number, 'log')
    // Merchants of old logs have claimed nothing.
    const holder = claimed.merchant ?? holderOfOrganization(organizationId)
    if (holder !== undefined && holder !== merchant) {
      const entry = await find(merchants, holder, 'log')
      const hasIt = entry.status === 'present' && numberOf(entry.data) === number
      const isOld = claimed.merchant !== null && context.at - claimed.since > claimMs
      // Whoever reserves it again is enabled right after.
      const isFree = isTurnedDown(entry) ? isOld || !claimed.isReserved : isOld && !hasIt
      if (!isFree) return refuse('organization_is_claimed')
    }
    const command = { type: 'ClaimOrganization', merchant, freed: claimed, isAgain } as const
    await handle(organizations, number, command, context)
  }

/**
 * A merchant that was turned down comes back only while nobody else has its number, and within an
 * hour: until then nobody else gets it. @throws Refusal organization_is_claimed
 */
export const claimAgain =
  (needs: ClaimNeeds) =>
  async (merchant: string, context: Context): Promise<void> => {
    const entry = await needs.find(merchants, merchant, 'log')
    if (!isTurnedDown(entry) || entry.status !== 'present') return
    const { organizationId } = entry.data
    if (organizationId !== null)
      await claimOrganization(needs)(merchant, organizationId, context, true)
  }

/**
 * Approves, enables or disables a merchant, and returns whether it is enabled. `seen`: how often it
 * was switched when the caller saw it.
 * @throws Refusal resource_is_unknown, organization_is_claimed, conflicting_changes
 */
export const switchMerchant =
  (needs: ClaimNeeds) =>
  async (
    id: string,
    type: 'Approve' | 'Enable' | 'Disable',
    context: Context,
    seen?: number,
  ): Promise<boolean> => {
    if (type !== 'Disable') await claimAgain(needs)(id, context)
    const { state } = await needs.handle(merchants, id, { type, seen }, context)
    return isEnabled(state)
  }

/**
 * Turns down a merchant that waits for approval; its owners read why.
 * @throws Refusal resource_is_unknown, conflicting_changes
 */
export const turnDownMerchant =
  ({ handle }: Pick<Deciding, 'handle'>) =>
  async (id: string, reason: string, context: Context, seen?: number): Promise<void> => {
    await handle(merchants, id, { type: 'TurnDown', reason, seen }, context)
  }

/** Claims a stated number, so that nobody else signs up with it. */
const claimStated = async (needs: ClaimNeeds, id: string, number: unknown, context: Context) => {
  if (typeof number === 'string' && number !== '')
    await claimOrganization(needs)(id, number, context)
}

/** @throws Refusal organization_is_claimed, id_used_with_other_data */
export const registerMerchant =
  (needs: ClaimNeeds) =>
  async (data: MerchantData, context: Context): Promise<void> => {
    await claimStated(needs, data.id, data.organizationId, context)
    await needs.handle(merchants, data.id, { type: 'Register', data }, context)
  }

/** @throws Refusal organization_is_claimed, resource_is_unknown */
export const changeMerchant =
  (needs: ClaimNeeds) =>
  async (id: string, changes: Changes<MerchantData>, context: Context): Promise<MerchantData> => {
    await claimStated(needs, id, changes.organizationId, context)
    const { state } = await needs.handle(merchants, id, { type: 'Change', changes }, context)
    return state.status === 'present' ? state.data : refuse('resource_is_unknown')
  }

type SignUpNeeds = Pick<StaffWork, 'enlist' | 'findStaff' | 'placesOf' | 'memberIdOf'> &
  ClaimNeeds & {
    /** Whether new merchants can take payments without approval. */
    readonly needsNoApproval: boolean
  }

export type SigningUp = {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly currency: string
  readonly payoutAccount: string
  readonly timeZone: TimeZone
  /** The phone number of the account that signs up. */
  readonly phone: string
}

/** Maximum number of merchants one person may sign up or work for. */
const mostMerchants = 50

/**
 * Creates a merchant with the payer as owner. Safe to repeat after any outcome.
 *
 * @throws Refusal merchants_are_too_many, organization_is_claimed
 */
export const signUpMerchant =
  (needs: SignUpNeeds) => async (payer: string, details: SigningUp, context: Caused) => {
    const { handle } = needs
    const { id, name, organizationId, currency, payoutAccount, phone, timeZone } = details
    if ((await needs.placesOf(payer)).length >= mostMerchants) refuse('merchants_are_too_many')
    // It already exists: somebody removed from its staff must not return through the old form.
    if ((await needs.findStaff(id)).members.length > 0) return
    const actor = staffActor(needs.memberIdOf(id, payer))
    const by = { ...context, merchant: id, actor }
    await claimOrganization(needs)(id, organizationId, by)
    const data = newMerchant({
      id,
      businessName: name,
      currency,
      lookupIds: [],
      netmask: null,
      organizationId,
      timeZone,
      jurisdiction: jurisdictionOf(currency),
      hasSignedUp: true,
    })
    await handle(merchants, id, { type: 'Register', data }, by)
    if (!needs.needsNoApproval) await handle(merchants, id, { type: 'AwaitApproval' }, by)
    const account = { ...impliedAccount(id, currency), payoutAccount }
    const key = within(id, defaultAccount)
    await handle(settlementAccounts, key, { type: 'Register', data: account }, by)
    await needs.enlist(id, { payer, phone, terms: { role: 'owner' } }, by)
  }
