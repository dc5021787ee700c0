import { staffActor } from '../domain/merchant/staff.ts'
import { impliedAccount, defaultAccount } from '../domain/accounting/settlement-account.ts'
import { merchants, organizations, settlementAccounts } from '../domain/aggregates.ts'
import { isTurnedDown, jurisdictionOf, newMerchant } from '../domain/merchant/merchant.ts'
import { refuse } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import type { TimeZone } from '../domain/time-zone.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'
import type { StaffWork } from './staff.ts'

type Needs = Pick<StaffWork, 'enlist' | 'findStaff' | 'placesOf' | 'memberIdOf'> & {
  readonly handle: Handle
  readonly find: Find
  /** Whether new merchants can take payments without approval. */
  readonly needsNoApproval: boolean
  /** The merchant that has an organisation number. */
  readonly holderOfOrganization: (id: string) => string | undefined
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

/** After this a claim that no merchant followed is given up. */
const claimMs = 3_600_000

/** Claims an organisation number. @throws Refusal id_used_with_other_data */
const claim = async (
  { handle, find, holderOfOrganization }: Needs,
  { id, organizationId }: Pick<SigningUp, 'id' | 'organizationId'>,
  context: Context,
): Promise<void> => {
  const claimed = await find(organizations, organizationId, 'log')
  // Merchants of the operator, and of old logs, have claimed nothing.
  const holder = claimed.merchant ?? holderOfOrganization(organizationId)
  if (holder !== undefined && holder !== id) {
    const entry = await find(merchants, holder, 'log')
    const isGivenUp = entry.status === 'absent' && context.at - claimed.since > claimMs
    if (!isTurnedDown(entry) && !isGivenUp) return refuse('id_used_with_other_data')
  }
  const command = { type: 'ClaimOrganization', merchant: id, freed: claimed.merchant } as const
  await handle(organizations, organizationId, command, context)
}

/**
 * Creates a merchant with the payer as owner. Safe to repeat after any outcome.
 *
 * @throws Refusal merchants_are_too_many, id_used_with_other_data
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
    await claim(needs, given, by)
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
