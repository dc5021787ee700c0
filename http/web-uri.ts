import { z } from 'zod'

/** A full URL without the blanks and line breaks that URL parsers drop. */
const webUri = /^https?:\/\/[^\s\p{Cc}]+$/iu

export const longestUri = 2048

/**
 * Whether a URL is short enough to parse: long non-ASCII hosts take quadratic time, and no name
 * exceeds 255 bytes (RFC 1035, 2.3.4). Parsers accept slashes of both kinds before the host.
 */
export const isShortUri = (text: string): boolean => {
  if (text.length > longestUri) return false
  const [host = ''] = text.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)
  return host.length <= 255
}

export const isWebUri = (text: string): boolean =>
  isShortUri(text) && webUri.test(text) && URL.canParse(text)

export const webUriText = z
  .string()
  .max(longestUri)
  // Length is reported separately.
  .refine((text) => text.length > longestUri || isWebUri(text), 'Must be a full http or https URL.')
  .meta({ format: 'uri' })
