import { tryDecodeURIComponent } from 'hono/utils/url'
import type { Context } from '../../application/handle.ts'
import { Refusal } from '../../domain/refusal.ts'
import { longestArgstring } from '../merchant/shortlink-code.ts'
import { scanForm } from './page-asks.ts'

export type ScannedCodeNeeds = {
  readonly issuer: () => string
  /** A payer scans a shortlink; answers the request that has picked it up. */
  readonly scanShortlink: (
    shortlink: string,
    scan: { readonly payer: string; readonly argstring: string },
    context: Context,
  ) => Promise<{ readonly tid: string | null }>
}

const pagePath = /^\/(payer\/payment\/[a-z0-9]{1,64}|oauth2\/pre_auth\?qr=[\w-]{75})$/
/** As where a camera opens it, a query or a fragment is no part of the argstring. */
const shortlinkPath = /^\/s\/([a-z0-9]{1,64})\/([^?#]*)/

/** @throws what it is given, unless that says that there is no such shortlink */
const unlessUnknown = (error: unknown): { readonly tid?: undefined } => {
  if (error instanceof Refusal && error.code === 'resource_is_unknown') return {}
  throw error
}

/**
 * Where to go with what a code says: a page of this service, shortlinks' codes among them; undefined when it is none of
 * ours. Scanning may be told to others, so it is done in the payer's name.
 */
export const followCode =
  ({ issuer, scanShortlink }: ScannedCodeNeeds) =>
  async (text: string, payer: string, context: Context): Promise<string | undefined> => {
    if (!scanForm.shape.text.safeParse(text).success) return undefined
    const base = `${issuer()}/`
    // Scheme and host in capitals, as keyboards and codes may have them, are the same (RFC 3986, 6.2.2.1).
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
