import { z } from 'zod'

/** Where the service is found by its clients. */
type Addresses = {
  /** `PUBLIC_URL` without a slash at its end. */
  readonly publicUrl: string
  /** Whether URIs inside JSON are full URLs (interface 1). */
  readonly absoluteUris: boolean
}

/** An id that this service gives, as it stands in paths. */
export const givenId = z.string().regex(/^[a-z0-9]{1,64}$/)
export const tidParams = z.object({ tid: givenId })
export const ridParams = z.object({ rid: givenId })

export const merchantPrefix = '/merchant/v1'

/** Makes paths into the URIs that clients see. */
export const linksOf = (addresses: () => Addresses) => ({
  /** A full URL: `Location`, `meta.uri`, the checkout portal. */
  full: (path: string): string => addresses().publicUrl + path,
  /** A URI inside a JSON body: an absolute path, or a full URL by setting. */
  inBody: (path: string): string => {
    const { publicUrl, absoluteUris } = addresses()
    return absoluteUris ? publicUrl + path : path
  },
})

export type Links = ReturnType<typeof linksOf>

/** What makes links that work without further authentication. */
export type Signing = {
  readonly links: Links
  /** A keyed signature that only this service can make, and every node of it alike. */
  readonly sign: (...parts: readonly string[]) => string
}
