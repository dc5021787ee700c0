import { merchants, organizations } from '../domain/aggregates.ts'
import { isTurnedDown, type MerchantData } from '../domain/merchant/merchant.ts'
import { organizationNumber } from '../domain/merchant/organization.ts'
import { refuse } from '../domain/refusal.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'

export type ClaimNeeds = {
  readonly handle: Handle
  readonly find: Find
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
