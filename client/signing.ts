import { createHash, createPrivateKey, sign } from 'node:crypto'
import type { ClientOptions } from './options.ts'

export type Headers = Readonly<Record<string, string>>

/** `METHOD|url|headers`: all headers with the prefix by name, as `NAME=value` joined with `&`. */
export const stringToSign = (
  method: string,
  url: string,
  headers: Headers,
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

const dateTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

export type Signer = (method: string, url: string, body: string, at: number) => Headers

type Caller = Pick<
  ClientOptions,
  'merchant' | 'user' | 'integrator' | 'secret' | 'key' | 'headerPrefix'
>

/** The headers that tell who asks. @throws TypeError when it is not clear who that is */
export const makeSigner = (caller: Caller): Signer => {
  const { merchant, user, integrator, secret, key, headerPrefix: prefix = 'X-Service' } = caller
  if ((user === undefined) === (integrator === undefined))
    throw new TypeError('Give the client a user or an integrator.')
  if ((secret === undefined) === (key === undefined))
    throw new TypeError('Give the client a secret or a key.')
  const who = {
    [`${prefix}-Merchant`]: merchant,
    ...(user !== undefined && { [`${prefix}-User`]: user }),
    ...(integrator !== undefined && { [`${prefix}-Integrator`]: integrator }),
  }
  if (key === undefined) {
    if (user === undefined) throw new TypeError('An integrator signs: give the client its key.')
    return () => ({ ...who, Authorization: `SECRET ${secret}` })
  }
  const privateKey = createPrivateKey(typeof key === 'string' ? key : Buffer.from(key))
  return (method, url, body, at) => {
    const headers = {
      ...who,
      [`${prefix}-Timestamp`]: dateTime(at),
      [`${prefix}-Content-Digest`]: `SHA256=${createHash('sha256').update(body).digest('base64')}`,
    }
    const text = Buffer.from(stringToSign(method, url, headers, prefix))
    const signature = sign('sha256', text, privateKey).toString('base64')
    return { ...headers, Authorization: `RSA-SHA256 ${signature}` }
  }
}
