import { z } from 'zod'
import { channelOf, isChannelName } from '../domain/merchant/channel.ts'
import { urlToSign } from './signature.ts'
import { isWebUri, longestUri } from './web-uri.ts'

const channelShape =
  'Must be pusher:<channel>: letters, digits and _ - = @ , . ; (at most 164), not of presence.'

/** Why an address could not be called as it stands. */
const problemOfCallable = (text: string): string | undefined => {
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
