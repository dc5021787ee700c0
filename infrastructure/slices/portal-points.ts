import { claimSticker } from '../../application/claim-sticker.ts'
import type { Core } from '../core.ts'
import { shortlinkIdOf } from '../people/tokens.ts'

/** What the staff of merchants see of points of sale and codes, and do with them. */
export const portalPoints = (core: Core) => {
  const { merchants, people } = core
  return {
    pointsOfSale: merchants.pointsOfSale,
    shortlinks: merchants.shortlinks,
    scanCounts: merchants.scanCounts,
    claimSticker: claimSticker(core),
    shortlinkIdFor: (merchant: string, made: string): string =>
      shortlinkIdOf(people.derive('shortlink', merchant, made)),
  }
}
