import type { Group } from './groups.ts'
import { route, type Route } from './route.ts'

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
