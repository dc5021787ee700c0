import type { KeyObject } from 'node:crypto'
import { secretHeaders, signedHeaders } from './signing.ts'

/** A merchant's user with a shared secret or an RSA key, or a payer's access token. */
export type Credentials =
  | ({ readonly merchant: string; readonly user: string } & (
      { readonly secret: string } | { readonly key: KeyObject }
    ))
  | { readonly accessToken: string }

/** The service left a request without an answer. */
class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the answer; undefined when it has no body. */
  readonly body: any
}

export const patienceMs = 30_000

const authenticated = (
  credentials: Credentials,
  method: string,
  url: string,
  body: string,
): Record<string, string> => {
  if ('accessToken' in credentials) return { Authorization: `Bearer ${credentials.accessToken}` }
  const { merchant, user } = credentials
  if ('secret' in credentials) return secretHeaders(merchant, user, credentials.secret)
  const headers = { 'X-Service-Merchant': merchant, 'X-Service-User': user }
  return signedHeaders({ method, url, body, key: credentials.key, headers })
}

/**
 * Makes requests with these credentials, or with none for what is open to all.
 * @throws Unanswered when no answer comes in time, or none that can be read
 */
export const merchantClient =
  (base: string, credentials?: Credentials) =>
  async (method: string, path: string, body?: object): Promise<Answer> => {
    const url = new URL(path, base).href
    const text = body === undefined ? '' : JSON.stringify(body)
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...(credentials && authenticated(credentials, method, url, text)),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: text }),
        signal: AbortSignal.timeout(patienceMs),
      })
      const { status, headers } = response
      const answered = await response.text()
      return { status, headers, body: answered === '' ? undefined : JSON.parse(answered) }
    } catch (cause) {
      throw new Unanswered(`no answer to ${method} ${path}: ${String(cause)}`, { cause })
    }
  }

export type MerchantClient = ReturnType<typeof merchantClient>
