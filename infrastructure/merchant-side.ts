import { randomUUID } from 'node:crypto'
import { integrators, merchants } from '../application/aggregates.ts'
import {
  byScanToken,
  byShortlink,
  firstOf,
  type FindCustomer,
} from '../application/find-customer.ts'
import { streamOf, type Context } from '../application/handle.ts'
import { matchScans } from '../application/match-scans.ts'
import type { Entry } from '../domain/register.ts'
import type { Core } from './core.ts'
import { qrImage } from './qr-image.ts'
import { newShortlinkId } from './tokens.ts'

const dataOf = <Data>(entry: Entry<Data> | undefined): Data | undefined =>
  entry?.status === 'present' ? entry.data : undefined

/**
 * What merchants, integrators, shortlinks and attachments need of the rest. `finders` know the customers that are not
 * named by a code or a scan of it, each a kind of identifier.
 */
export const merchantSide = (core: Core, ...finders: readonly FindCustomer[]) => {
  const { handle, find, tokens } = core
  const { caughtUp } = core.readModels
  const scanMatching = matchScans({
    handle,
    find,
    pickUps: core.pickUps,
    tokenDigestOf: (scan) => tokens.tokenDigest(tokens.scanToken(scan)),
    newId: randomUUID,
  })
  const findScan = (token: string) => core.scans.byToken(tokens.tokenDigest(token))
  const merchantOf = (id: string) => core.merchants.find(streamOf(merchants, id))?.data
  return {
    scanMatching,
    findCustomer: firstOf(byShortlink({ find }), byScanToken({ caughtUp, findScan }), ...finders),
    /** A payer scans a shortlink; answers the merchant's token for it. */
    scanShortlink: async (
      shortlink: string,
      scan: { readonly payer: string; readonly argstring: string },
      context: Pick<Context, 'at' | 'correlationId'>,
    ): Promise<string> =>
      tokens.scanToken(await scanMatching.scanShortlink(shortlink, scan, context)),
    access: {
      recallIntegrator: (id: string) => dataOf(core.recall(integrators, encodeURIComponent(id))),
      findIntegrator: async (id: string) =>
        dataOf(await find(integrators, encodeURIComponent(id), 'log')),
      netmaskOf: async (merchant: string) =>
        dataOf(await find(merchants, merchant))?.netmask ?? null,
    },
    routes: {
      ...tokens,
      merchants: core.merchants,
      lookUpMerchant: core.lookUpMerchant,
      businessName: (merchant: string) => merchantOf(merchant)?.businessName,
      shortlinks: core.shortlinks,
      scans: core.scans,
      newShortlinkId,
      qrImage,
      attachments: core.attachments,
      blobs: core.blobs,
    },
  }
}
