import { pointsOfSale } from '../../domain/aggregates.ts'
import { within } from '../../domain/stream.ts'
import type { Core } from '../../service/core.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { registerMerchant } from '../../harness/register-merchant.ts'

/** Registers merchants, each with user `pos1` and POS `till`. */
export const openShops = async (core: Core, merchants: readonly string[], secret: string) => {
  const hash = await hashSecret(secret)
  for (const merchant of merchants) {
    await registerMerchant(core, { id: merchant }, 'pos1', hash)
    const data = { merchant, id: 'till', name: 'Till', type: 'store' as const, location: null }
    const context = core.contextOf('operator', merchant)
    await core.handle(pointsOfSale, within(merchant, 'till'), { type: 'Register', data }, context)
  }
}
