import { createHash, sign, type KeyObject } from 'node:crypto'

/**
 * How a merchant's user proves who it is, with a shared secret or by signing with an RSA key; or what a payer has granted,
 * as an access token shows it.
 */
export type Credentials =
  | ({ readonly merchant: string; readonly user: string } & (
      { readonly secret: string } | { readonly key: KeyObject }
    ))
  | { readonly accessToken: string }

/** The service left a request without an answer. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the answer; undefined when it has no body. */
  readonly body: any
}

const patienceMs = 30_000

/** The present time of this machine as `YYYY-MM-DD hh:mm:ss`. */
const timestamp = (): string => new Date().toISOString().slice(0, 19).replace('T', ' ')

const digestOf = (body: string): string =>
  `SHA256=${createHash('sha256').update(body).digest('base64')}`

/** `METHOD|url|headers`: all `X-SERVICE-` headers by name, as `NAME=value` joined with `&`. */
export const textToSign = (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): string => {
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toUpperCase(), value] as const)
    .filter(([name]) => name.startsWith('X-SERVICE-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return `${method}|${url}|${signed.join('&')}`
}

const authenticated = (
  credentials: Credentials,
  method: string,
  url: string,
  body: string,
): Record<string, string> => {
  if ('accessToken' in credentials) return { Authorization: `Bearer ${credentials.accessToken}` }
  const { merchant, user } = credentials
  const names = { 'X-Service-Merchant': merchant, 'X-Service-User': user }
  if ('secret' in credentials) return { ...names, Authorization: `SECRET ${credentials.secret}` }
  const headers = {
    ...names,
    'X-Service-Timestamp': timestamp(),
    'X-Service-Content-Digest': digestOf(body),
  }
  const text = Buffer.from(textToSign(method, url, headers))
  const signature = sign('sha256', text, credentials.key).toString('base64')
  return { ...headers, Authorization: `RSA-SHA256 ${signature}` }
}

/**
 * Makes requests in the name of a merchant's user or with an access token, or of nobody for what is open to all.
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
