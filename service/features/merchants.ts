import { byScanToken, byShortlink, firstOf } from '../../application/identify-customer.ts'
import { matchScans } from '../../application/match-scans.ts'
import type { Links } from '../../http/addresses.ts'
import { readPublicKey } from '../../infrastructure/keys/keys.ts'
import { isNetmask } from '../../infrastructure/networks.ts'
import { hashSecret, makeSecretDigests } from '../../infrastructure/people/secrets.ts'
import { newShortlinkId } from '../../infrastructure/people/id-tokens.ts'
import type { makeQrCodes } from '../../infrastructure/pictures/qr-codes.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import { shopsOf } from '../portal/shops.ts'

type Parts = Pick<Access, 'verifySecret'> & {
  readonly links: Links
  readonly qrImage: ReturnType<typeof makeQrCodes>
}

/**
 * Merchants with their users, points of sale and shortlinks. Scans are matched in the background.
 */
export const merchantSlice = (core: Core, { links, qrImage, verifySecret }: Parts) => {
  const { handle, find, caughtUp, newId, tokens, payerDirectory, findScan, merchants } = core
  const matching = matchScans({
    handle,
    find,
    share: core.shares.merchants,
    pickUps: merchants.pickUps,
    tokenDigestOf: (scan) => tokens.scanTokenDigest(tokens.scanToken(scan)),
    caughtUp,
    newId,
    outageOf: core.outagesOf('matching a scan with payment'),
  })
  const scanned = byScanToken({ find, caughtUp, findScan })
  return {
    awaitScan: matching.awaitScan,
    /** The kinds of identifiers of interface 2, in their order. */
    identify: firstOf(
      [byShortlink({ find }), scanned, payerDirectory.byAccessToken],
      payerDirectory.byName,
    ),
    /** The merchant's token for a payer's scan, and the request that picked it up. */
    scanShortlink: async (...about: Parameters<typeof matching.scanShortlink>) => {
      const { scan, tid } = await matching.scanShortlink(...about)
      return { token: tokens.scanToken(scan), tid }
    },
    needs: {
      links,
      handle,
      find,
      caughtUp,
      blobs: core.blobs,
      merchants: merchants.merchants,
      lookUpMerchant: merchants.lookUpMerchant,
      users: merchants.users,
      pointsOfSale: merchants.pointsOfSale,
      shortlinks: merchants.shortlinks,
      offers: merchants.offers,
      scans: merchants.scans,
      scanToken: tokens.scanToken,
      shopName: shopsOf(core).shopName,
      newShortlinkId,
      hashSecret,
      verifySecret,
      digestSecret: makeSecretDigests(core.derive).digestSecret,
      readPublicKey,
      isNetmask,
      qrImage,
    },
    work: [{ name: 'match_scans', due: matching.work, lease: 'merchants' as const }],
  }
}

export type MerchantSlice = ReturnType<typeof merchantSlice>
