import { z } from 'zod'

type Addresses = {
  /** `PUBLIC_URL` without its trailing slash. */
  readonly publicUrl: string
  /** Whether URIs in JSON are full URLs (interface 1). */
  readonly absoluteUris: boolean
}

/** The shape of ids that this service generates. */
export const givenId = z.string().regex(/^[a-z0-9]{1,64}$/)
export const tidParams = z.object({ tid: givenId })
export const ridParams = z.object({ rid: givenId })

export const merchantPrefix = '/merchant/v1'

export const linksOf = (addresses: () => Addresses) => ({
  /** A full URL, as in `Location` and `meta.uri`. */
  full: (path: string): string => addresses().publicUrl + path,
  /** A URI in a JSON body: an absolute path, or a full URL by setting. */
  inBody: (path: string): string => {
    const { publicUrl, absoluteUris } = addresses()
    return absoluteUris ? publicUrl + path : path
  },
})

export type Links = ReturnType<typeof linksOf>

export type Signing = {
  readonly links: Links
  /** The same on every node of this service. */
  readonly sign: (...parts: readonly string[]) => string
}
