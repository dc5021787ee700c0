import { merchants, users } from '../domain/aggregates.ts'
import { newMerchant, type MerchantData } from '../domain/merchant/merchant.ts'
import { within } from '../domain/stream.ts'
import type { Core } from '../service/core.ts'

let requests = 0

/** A payment request that the service accepts, each under a number of its own. */
export const paymentInput = (changes: Readonly<Record<string, unknown>> = {}) => ({
  pos_id: 'till-1',
  pos_tid: `test-${++requests}`,
  action: 'auth',
  currency: 'NOK',
  amount: '100.00',
  allow_credit: false,
  customer: '+4799999901',
  ...changes,
})

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
