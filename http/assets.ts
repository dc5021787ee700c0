import { type Group, route, type Route } from './route.ts'

/** The operator's brand (interface 1): prefix of headers, vendor of media types. */
export type Brand = { readonly headerPrefix: string; readonly mediaVendor: string }

export const namesOf = ({ headerPrefix, mediaVendor }: Brand) => ({
  merchant: `${headerPrefix}-Merchant`,
  user: `${headerPrefix}-User`,
  integrator: `${headerPrefix}-Integrator`,
  timestamp: `${headerPrefix}-Timestamp`,
  contentDigest: `${headerPrefix}-Content-Digest`,
  position: `${headerPrefix}-Position`,
  minPosition: `${headerPrefix}-Min-Position`,
  signedPrefix: `${headerPrefix.toUpperCase()}-`,
  itemList: `application/vnd.${mediaVendor}.itemlist.v1+json`,
  receipt: `application/vnd.${mediaVendor}.receipt.v1+json`,
  json: `application/vnd.${mediaVendor}.api.merchant.v1+json`,
  csv: `application/vnd.${mediaVendor}.api.merchant.v1+csv`,
})

export type Names = ReturnType<typeof namesOf>

/** Reads a file that is no code by its path in the repository, or in a package. */
export type ReadAsset = (path: string) => Uint8Array<ArrayBuffer>

export type AssetNeeds = { readonly readAsset: ReadAsset }

export const readText = (readAsset: ReadAsset, path: string): string =>
  new TextDecoder().decode(readAsset(path))

/** Joins files; a browser then asks once. */
export const joined = (readAsset: ReadAsset, paths: readonly string[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(paths.map(readAsset)))

type Asset = {
  readonly path: string
  readonly type: string
  readonly group: Group
  readonly summary: string
  /** Seconds. */
  readonly maxAge?: number
  readonly body: () => Uint8Array<ArrayBuffer>
}

/** A file for browsers, open to all and kept by caches. */
export const assetRoute = ({ path, type, group, summary, maxAge = 3600, body }: Asset): Route =>
  route({
    method: 'GET',
    path,
    access: 'OPEN',
    group,
    summary,
    success: 'raw',
    replyTypes: [type],
    handle: () => ({
      type: type.startsWith('text/') ? `${type}; charset=utf-8` : type,
      body: body(),
      headers: {
        'Cache-Control': `public, max-age=${maxAge}`,
        'X-Content-Type-Options': 'nosniff',
      },
    }),
  })
