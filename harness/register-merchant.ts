import { merchants, users } from '../domain/aggregates.ts'
import { newMerchant, type MerchantData } from '../domain/merchant/merchant.ts'
import { within } from '../domain/stream.ts'
import type { Core } from '../service/core.ts'

/** Registers a merchant as its operator does, and a user of it with a secret. */
export const registerMerchant = async (
  core: Core,
  known: Partial<MerchantData> & { readonly id: string },
  user: string,
  secretHash: string,
): Promise<void> => {
  const { id } = known
  const context = core.contextOf('operator', id)
  const data = newMerchant({
    businessName: `Shop ${id}`,
    currency: 'NOK',
    lookupIds: [],
    netmask: null,
    ...known,
  })
  await core.handle(merchants, id, { type: 'Register', data }, context)
  const added = {
    merchant: id,
    id: user,
    roles: ['user' as const],
    netmask: null,
    secretHash,
    publicKey: null,
  }
  await core.handle(users, within(id, user), { type: 'Register', data: added }, context)
}
