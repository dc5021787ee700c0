import { z } from 'zod'
import { isShortUri, longestUri } from '../domain/people/application.ts'
import { channelOf, isChannelName } from '../domain/merchant/channel.ts'
import { urlToSign } from './signed-request.ts'

/** A full URL without the blanks and line breaks that URL parsers drop. */
export const webUri = /^https?:\/\/[^\s\p{Cc}]+$/iu

export const isWebUri = (text: string): boolean =>
  isShortUri(text) && webUri.test(text) && URL.canParse(text)

export const webUriText = z
  .string()
  .max(longestUri)
  // Length is reported separately.
  .refine((text) => text.length > longestUri || isWebUri(text), 'Must be a full http or https URL.')
  .meta({ format: 'uri' })

export const channelShape =
  'Must be pusher:<channel>: letters, digits and _ - = @ , . ; (at most 164), not of presence.'

/** Why an address could not be called as it stands. */
export const problemOfCallable = (text: string): string | undefined => {
  if (/^pusher:/i.test(text)) {
    const channel = channelOf(text)
    return channel !== undefined && isChannelName(channel) ? undefined : channelShape
  }
  if (!isWebUri(text)) return 'Must be a full http or https URL, or pusher:<channel>.'
  const { href, username, password, pathname, search } = new URL(text)
  if (username + password !== '' || text.includes('#'))
    return 'Must have no user, password or fragment.'
  const written = urlToSign(text)
  const isWhole = pathname === '/' && search === '' && written === href.slice(0, -1)
  if ((written === href || isWhole) && !text.endsWith('?')) return undefined
  return `Must be written as it is requested: ${href.replace(/\?$/, '')}`
}

/**
 * A callback's address: a URL or a Pusher channel. The signature covers the URL as given, so
 * nothing of it may be dropped.
 */
export const callbackUriText = z
  .string()
  .max(longestUri)
  .superRefine((text, context) => {
    // Length is reported separately.
    const problem = text.length > longestUri ? undefined : problemOfCallable(text)
    if (problem !== undefined) context.addIssue(problem)
  })
  .meta({ format: 'uri' })

type Addresses = {
  /** `PUBLIC_URL` without its trailing slash. */
  readonly publicUrl: string
  /** Whether URIs in JSON are full URLs (interface 1). */
  readonly absoluteUris: boolean
}

/** The shape of ids that this service generates. */
export const generatedId = z.string().regex(/^[a-z0-9]{1,64}$/)

export const tidParams = z.object({ tid: generatedId })

export const ridParams = z.object({ rid: generatedId })

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
