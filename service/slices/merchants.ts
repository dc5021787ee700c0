import { byScanToken, byShortlink, firstOf } from '../../application/identify-customer.ts'
import { matchScans } from '../../application/match-scans.ts'
import type { Core } from '../core.ts'
import { readPublicKey } from '../../infrastructure/keys/keys.ts'
import { isNetmask } from '../../infrastructure/networks.ts'
import { hashSecret, makeSecretDigests } from '../../infrastructure/people/secrets.ts'
import { newShortlinkId } from '../../infrastructure/people/tokens.ts'

/**
 * Merchants with their users, points of sale and shortlinks. Scans are matched in the background.
 */
export const merchantSlice = (core: Core) => {
  const { pickUps } = core.merchants
  const { tokens, payers, findScan } = core.people
  const { work, awaitScan, scanShortlink } = matchScans({
    ...{ ...core, pickUps, share: core.shares.merchants },
    tokenDigestOf: (scan) => tokens.scanTokenDigest(tokens.scanToken(scan)),
    outageOf: core.outagesOf('matching a scan with payment'),
  })
  const kinds = [byShortlink(core), byScanToken({ ...core, findScan }), payers.byAccessToken]
  return {
    awaitScan,
    /** The kinds of identifiers of interface 2, in their order. */
    identify: firstOf(kinds, payers.byName),
    /** The merchant's token for a payer's scan, and the request that picked it up. */
    scanShortlink: async (...scanned: Parameters<typeof scanShortlink>) => {
      const { scan, tid } = await scanShortlink(...scanned)
      return { token: tokens.scanToken(scan), tid }
    },
    needs: {
      ...{ ...core.merchants, newShortlinkId, hashSecret, readPublicKey, isNetmask },
      digestSecret: makeSecretDigests(core.people.derive).digestSecret,
    },
    work: [{ due: work, lease: 'merchants' as const }],
  }
}

export type MerchantSlice = ReturnType<typeof merchantSlice>
