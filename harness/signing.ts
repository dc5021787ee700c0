import { createHash, sign, type KeyObject, generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const pemOf = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

export const rsa = (): string => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))

/** By the file where a service looks for each. */
export const keys = {
  'callback-rsa.pem': rsa(),
  'callback-ed25519.pem': pemOf(generateKeyPairSync('ed25519')),
  'sandbox-admin-key.pem': rsa(),
}

/** Puts keys where a new service would make its own, which takes most of its start. */
export const prepareKeys = (folder: string): string => {
  if (existsSync(join(folder, 'events.sqlite'))) return folder
  for (const [name, key] of Object.entries(keys))
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), key, { mode: 0o600 })
  return folder
}

/** Interface 2: `YYYY-MM-DD hh:mm:ss` in UTC. */
export const dateTime = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replace('T', ' ')

const digestOf = (content: string | Uint8Array): string =>
  `SHA256=${createHash('sha256').update(content).digest('base64')}`

/** `METHOD|url|headers`: all headers with the prefix by name, as `NAME=value` joined with `&`. */
export const stringToSign = (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  prefix = 'X-Service',
): string => {
  const [, scheme = '', host = '', rest = ''] = /^(\w+):\/\/([^/]+)(.*)$/.exec(url) ?? []
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toUpperCase(), value] as const)
    .filter(([name]) => name.startsWith(`${prefix.toUpperCase()}-`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return `${method}|${scheme.toLowerCase()}://${host.toLowerCase()}${rest}|${signed.join('&')}`
}

type ToSign = {
  readonly method: string
  /** As the client writes it; scheme and host are signed in lower case. */
  readonly url: string
  readonly body?: string | Uint8Array | undefined
  /** A private key, also as PEM. */
  readonly key: KeyObject | string
  readonly at?: number | undefined
  readonly prefix?: string | undefined
  /** Who asks, and further headers; those with the prefix are signed. */
  readonly headers: Readonly<Record<string, string>>
}

/** The headers of a request with level KEY, made from the words of the interface alone. */
export const signedHeaders = (request: ToSign): Record<string, string> => {
  const { method, url, body = '', key, at = Date.now(), prefix = 'X-Service' } = request
  const headers = {
    [`${prefix}-Timestamp`]: dateTime(at),
    [`${prefix}-Content-Digest`]: digestOf(body),
    ...request.headers,
  }
  const text = Buffer.from(stringToSign(method, url, headers, prefix))
  return { ...headers, Authorization: `RSA-SHA256 ${sign('sha256', text, key).toString('base64')}` }
}

export const secretHeaders = (
  merchant: string,
  user: string,
  secret: string,
  prefix = 'X-Service',
): Record<string, string> => ({
  [`${prefix}-Merchant`]: merchant,
  [`${prefix}-User`]: user,
  Authorization: `SECRET ${secret}`,
})
