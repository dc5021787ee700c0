import { z } from 'zod'
import { isReadable } from '../blanks.ts'
import { switchable } from '../switchable.ts'
import { instant, type Instant } from '../time.ts'

const earlierSecret = z.object({ hash: z.string(), until: instant })

/** An OAuth client of a merchant. */
export const application = switchable(
  'Application',
  z.object({
    clientId: z.string(),
    merchant: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()),
    /** SHA-256 of a 256-bit secret; null for public clients. */
    secretHash: z.string().nullable(),
    /** The previous secret, accepted until `until`. */
    previousSecret: earlierSecret.optional(),
    /** Those before it. */
    earlierSecrets: z.array(earlierSecret).optional(),
    /** Absent for confidential clients registered before PKCE was required. */
    requiresPkce: z.literal(true).optional(),
    /** Its tokens must be bound to a key of the client (RFC 9449, 5.2). */
    requiresDpop: z.literal(true).optional(),
  }),
)

type ApplicationData = z.output<typeof application.events.ApplicationRegistered>

/** Its replaced secrets that are accepted at that time, newest first. */
export const replacedSecrets = (
  {
    previousSecret,
    earlierSecrets = [],
  }: Pick<ApplicationData, 'previousSecret' | 'earlierSecrets'>,
  at: Instant,
) =>
  [...(previousSecret ? [previousSecret] : []), ...earlierSecrets].filter(({ until }) => at < until)

/** A null hash is that of a public client; a bound one proves a key with each token request. */
export const newApplication = (
  known: Pick<ApplicationData, 'clientId' | 'merchant' | 'name' | 'redirectUris'>,
  secretHash: string | null,
  isBound: boolean,
): ApplicationData => ({
  ...known,
  secretHash,
  requiresPkce: true,
  ...(isBound && { requiresDpop: true }),
})

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

/**
 * Redirect URIs: https, a native app's own scheme, or http on the device itself (in the sandbox,
 * anywhere).
 */
export const isRedirectUri = (text: string, isSandbox: boolean): boolean => {
  if (!isShortUri(text) || !URL.canParse(text) || text.includes('#') || /[\s\\]/.test(text))
    return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  // The host is shown to payers and put into headers, where `;`, `,` and `*` have a meaning.
  if (!/^([a-z0-9._-]*|\[[0-9a-f:.]+\])$/i.test(hostname)) return false
  if (protocol === 'https:') return true
  if (protocol === 'http:')
    return isSandbox || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  // A native app's scheme is a reversed domain name (RFC 8252, 7.1), so never `javascript:` or
  // `data:`.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
}

/** Characters of the name of an application. */
export const longestName = 100

export const mostRedirectUris = 20

/** What is wrong with what an application says of itself; undefined for nothing. */
export const applicationProblem = (
  { name, redirectUris }: Readonly<{ name: string; redirectUris: readonly string[] }>,
  isSandbox: boolean,
): 'name' | 'uris' | { readonly uri: string } | undefined => {
  const uri = redirectUris.find((one) => !isRedirectUri(one, isSandbox))
  if (uri !== undefined) return { uri }
  if (redirectUris.length === 0 || redirectUris.length > mostRedirectUris) return 'uris'
  return isReadable(name) && name.length <= longestName ? undefined : 'name'
}
