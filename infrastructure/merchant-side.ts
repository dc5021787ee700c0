import { randomUUID } from 'node:crypto'
import { integrators, merchants } from '../domain/aggregates.ts'
import type { Context } from '../application/handle.ts'
import { byScanToken, byShortlink, firstOf } from '../application/identify-customer.ts'
import { matchScans } from '../application/match-scans.ts'
import { isEnabled, type Entry } from '../domain/register.ts'
import type { Core } from './core.ts'
import { sealedBlobs } from './people/sealed-blobs.ts'
import { newShortlinkId } from './people/tokens.ts'
import { qrImage } from './qr-image.ts'

const dataOf = <Data>(entry: Entry<Data> | undefined) =>
  entry?.status === 'present' ? { ...entry.data, isDisabled: !isEnabled(entry) } : undefined

/** What merchants, integrators, shortlinks and attachments need of the rest. */
export const makeMerchantSide = (core: Core) => {
  const {
    handle,
    find,
    people: { tokens, payers },
  } = core
  const { caughtUp } = core.readModels
  const scanMatching = matchScans({
    handle,
    find,
    pickUps: core.merchants.pickUps,
    tokenDigestOf: (scan) => tokens.scanTokenDigest(tokens.scanToken(scan)),
    caughtUp: core.readModels.caughtUp,
    newId: randomUUID,
    outageOf: core.outagesOf('matching a scan with payment'),
  })
  return {
    scanMatching,
    /** The kinds of identifiers of interface 2, in their order. */
    identify: firstOf(
      [
        byShortlink({ find }),
        byScanToken({ find, caughtUp, findScan: core.people.findScan }),
        payers.byAccessToken,
      ],
      payers.byName,
    ),
    /** A payer scans a shortlink; answers the merchant's token for it, and the request that has picked it up. */
    scanShortlink: async (
      shortlink: string,
      by: { readonly payer: string; readonly argstring: string },
      context: Pick<Context, 'at' | 'correlationId'>,
    ): Promise<{ readonly token: string; readonly tid: string | null }> => {
      const { scan, tid } = await scanMatching.scanShortlink(shortlink, by, context)
      return { token: tokens.scanToken(scan), tid }
    },
    access: {
      recallIntegrator: (id: string) => dataOf(core.recall(integrators, encodeURIComponent(id))),
      findIntegrator: async (id: string) =>
        dataOf(await find(integrators, encodeURIComponent(id), 'log')),
      findMerchant: async (merchant: string, asOf: 'memory' | 'log') =>
        dataOf(await find(merchants, merchant, asOf)),
    },
    routes: {
      scanToken: tokens.scanToken,
      sign: tokens.sign,
      isSigned: tokens.isSigned,
      merchants: core.merchants.merchants,
      lookUpMerchant: core.merchants.lookUpMerchant,
      shortlinks: core.merchants.shortlinks,
      scans: core.merchants.scans,
      newShortlinkId,
      qrImage,
      attachments: core.payments.attachments,
      blobs: core.merchants.blobs,
      attachedContents: sealedBlobs(core.merchants.blobs, core.people.vault),
      hasPerson: core.people.vault.hasPerson,
    },
  }
}
