import { merchants, pointsOfSale } from '../domain/aggregates.ts'
import { streamOf, within } from '../domain/stream.ts'
import type { Core } from './core.ts'

/** How merchants and their points of sale present themselves to payers. */
export const shopsOf = ({ merchants: rows }: Pick<Core, 'merchants'>) => {
  const shop = (merchant: string) => rows.merchants.find(streamOf(merchants, merchant))?.data
  const shopName = (merchant: string): string => shop(merchant)?.businessName ?? merchant
  return {
    shopName,
    shopOf: (merchant: string, posId: string) => ({
      shop: shopName(merchant),
      logo: shop(merchant)?.logo ?? null,
      pos:
        rows.pointsOfSale.find(streamOf(pointsOfSale, within(merchant, posId)))?.data.name ?? null,
    }),
  }
}
