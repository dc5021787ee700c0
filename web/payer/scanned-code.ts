import { tryDecodeURIComponent } from 'hono/utils/url'
import type { Context } from '../../application/handle.ts'
import { Refusal } from '../../domain/refusal.ts'
import { longestArgstring } from '../../http/merchant/shortlink-code.ts'
import { scanForm } from './page-asks.ts'

export type ScannedCodeNeeds = {
  readonly issuer: () => string
  /** A payer scans a shortlink; returns the request that picked it up. */
  readonly scanShortlink: (
    shortlink: string,
    scan: { readonly payer: string; readonly argstring: string },
    context: Context,
  ) => Promise<{ readonly tid: string | null }>
}

const pagePath = /^\/(payer\/payment\/[a-z0-9]{1,64}|oauth2\/pre_auth\?qr=[\w-]{75})$/
/** The argstring excludes query and fragment, as when a camera opens the link. */
const shortlinkPath = /^\/s\/([a-z0-9]{1,64})\/([^?#]*)/

/** @throws the given error, unless the shortlink is unknown */
const unlessUnknown = (error: unknown): { readonly tid?: undefined } => {
  if (error instanceof Refusal && error.code === 'resource_is_unknown') return {}
  throw error
}

/**
 * The page of this service that a code leads to, shortlinks included; undefined for other codes. A
 * scan may trigger a callback, so it is made in the payer's name.
 */
export const followCode =
  ({ issuer, scanShortlink }: ScannedCodeNeeds) =>
  async (text: string, payer: string, context: Context): Promise<string | undefined> => {
    if (!scanForm.shape.text.safeParse(text).success) return undefined
    const base = `${issuer()}/`
    // Scheme and host ignore case (RFC 3986, 6.2.2.1).
    if (text.slice(0, base.length).toLowerCase() !== base.toLowerCase()) return undefined
    const path = `/${text.slice(base.length)}`
    const [, shortlink, argument = ''] = shortlinkPath.exec(path) ?? []
    if (shortlink === undefined) return pagePath.test(path) ? path : undefined
    const argstring = tryDecodeURIComponent(argument)
    if ([...argstring].length > longestArgstring) return undefined
    const scanned = scanShortlink(shortlink, { payer, argstring }, context)
    const { tid } = await scanned.catch(unlessUnknown)
    if (tid === undefined) return undefined
    return tid === null ? '/payer/?scanned' : `/payer/payment/${tid}`
  }
