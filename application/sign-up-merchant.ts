import { staffActor } from '../domain/merchant/staff.ts'
import { impliedAccount, defaultAccount } from '../domain/accounting/settlement-account.ts'
import { merchants, settlementAccounts } from '../domain/aggregates.ts'
import { jurisdictionOf, newMerchant } from '../domain/merchant/merchant.ts'
import { refuse } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import type { TimeZone } from '../domain/time-zone.ts'
import { claimOrganization, type ClaimNeeds } from './claims.ts'
import type { Context } from './handle.ts'
import type { StaffWork } from './staff.ts'

type Needs = Pick<StaffWork, 'enlist' | 'findStaff' | 'placesOf' | 'memberIdOf'> &
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
  (needs: Needs) =>
  async (payer: string, given: SigningUp, context: Pick<Context, 'at' | 'correlationId'>) => {
    const { handle } = needs
    const { id, name, organizationId, currency, payoutAccount, phone, timeZone } = given
    if ((await needs.placesOf(payer)).length >= mostMerchants) refuse('merchants_are_too_many')
    // It already exists: somebody removed from its staff must not return through the old form.
    if ((await needs.findStaff(id)).members.length > 0) return
    const actor = staffActor(needs.memberIdOf(id, payer))
    const by = { ...context, merchant: id, actor }
    await claimOrganization(needs)(id, organizationId, by)
    const data = newMerchant({
      ...{
        id,
        businessName: name,
        currency,
        lookupIds: [],
        netmask: null,
        organizationId,
        timeZone,
      },
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
