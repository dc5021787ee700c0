import { randomUUID } from 'node:crypto'
import type { Context } from '../../application/handle.ts'
import { byScanToken, byShortlink, firstOf } from '../../application/identify-customer.ts'
import { matchScans } from '../../application/match-scans.ts'
import type { Core } from '../core.ts'
import { readPublicKey } from '../keys.ts'
import { isNetmask } from '../networks.ts'
import { hashSecret } from '../people/secrets.ts'
import { newShortlinkId } from '../people/tokens.ts'

/** Merchants with their users, points of sale and shortlinks. Scans find their request beside. */
export const merchantSlice = (core: Core) => {
  const { handle, find, merchants } = core
  const { tokens, payers, findScan } = core.people
  const { caughtUp } = core.readModels
  const { work, awaitScan, scanShortlink } = matchScans({
    handle,
    find,
    pickUps: merchants.pickUps,
    tokenDigestOf: (scan) => tokens.scanTokenDigest(tokens.scanToken(scan)),
    caughtUp,
    newId: randomUUID,
    outageOf: core.outagesOf('matching a scan with payment'),
  })
  const kinds = [
    byShortlink({ find }),
    byScanToken({ find, caughtUp, findScan }),
    payers.byAccessToken,
  ]
  return {
    awaitScan,
    /** The kinds of identifiers of interface 2, in their order. */
    identify: firstOf(kinds, payers.byName),
    /** The merchant's token for the scan of a payer, and the request that has picked it up. */
    scanShortlink: async (
      shortlink: string,
      by: { readonly payer: string; readonly argstring: string },
      context: Pick<Context, 'at' | 'correlationId'>,
    ): Promise<{ readonly token: string; readonly tid: string | null }> => {
      const { scan, tid } = await scanShortlink(shortlink, by, context)
      return { token: tokens.scanToken(scan), tid }
    },
    needs: {
      ...merchants,
      scanToken: tokens.scanToken,
      newShortlinkId,
      hashSecret,
      readPublicKey,
      isNetmask,
    },
    work: [{ due: work }],
  }
}

export type MerchantSlice = ReturnType<typeof merchantSlice>
