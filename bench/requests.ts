import { createHash, createPrivateKey, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { formatDateTime } from '../application/date-time.ts'
import { stringToSign } from '../http/signature.ts'
import type { Address } from './connection.ts'

/** The levels at which a merchant's request is authenticated. */
export type Level = 'SECRET' | 'KEY'

/** The sandbox's credentials and address. */
export type Shop = { readonly address: Address; readonly adminKey: string }

const signAsync = promisify(sign) as (
  algorithm: string,
  text: Buffer,
  key: ReturnType<typeof createPrivateKey>,
) => Promise<Buffer>

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

const secretHeaders = lines({
  'X-Service-Merchant': 'sandbox',
  'X-Service-User': 'pos1',
  Authorization: 'SECRET sandbox-secret',
})

const noHeaders = ''

type Method = 'GET' | 'POST' | 'PUT'

/** The bytes of a request, one character each. */
const text = (
  { host, port }: Address,
  method: Method,
  path: string,
  credentials: string,
  body: string,
): string => {
  const content = method === 'GET' ? '' : lines(contentOf(body))
  const start = `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n`
  return `${start}${credentials}${content}\r\n${body}`
}

const contentOf = (body: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(body.length),
})

/** Writes the requests of one shop. Bodies are ASCII. */
export const requestsOf = ({ address, adminKey }: Shop) => {
  const key = createPrivateKey(adminKey)
  const origin = `http://${address.host}:${address.port}`

  const signedHeaders = async (method: Method, path: string, body: string): Promise<string> => {
    const signed = {
      'X-Service-Merchant': 'sandbox',
      'X-Service-User': 'admin',
      'X-Service-Timestamp': formatDateTime(Date.now()),
      'X-Service-Content-Digest': `SHA256=${createHash('sha256').update(body).digest('base64')}`,
    }
    const toSign = stringToSign(method, origin + path, Object.entries(signed), 'X-SERVICE-')
    const signature = await signAsync('sha256', Buffer.from(toSign), key)
    return lines({ ...signed, Authorization: `RSA-SHA256 ${signature.toString('base64')}` })
  }

  return {
    open: (method: Method, path: string, body = '') => text(address, method, path, noHeaders, body),
    secret: (method: Method, path: string, body = '') =>
      text(address, method, path, secretHeaders, body),
    signed: async (method: Method, path: string, body = '') =>
      text(address, method, path, await signedHeaders(method, path, body), body),
  }
}

export type Requests = ReturnType<typeof requestsOf>

const list = '/merchant/v1/payment_request/'

/** The requests of the bench: method, path and body of each kind. */
export const payments = {
  create: (posTid: string, customer = '4799999901', callback_uri?: string) =>
    [
      'POST',
      list,
      JSON.stringify({
        pos_id: 'till-1',
        pos_tid: posTid,
        action: 'auth',
        currency: 'NOK',
        amount: '1000.00',
        allow_credit: false,
        customer,
        text: 'Two coffees and a bun',
        callback_uri,
      }),
    ] as const,
  accept: (tid: string) => ['POST', `/sandbox/v1/payment_request/${tid}/accept/`, '{}'] as const,
  capture: (tid: string, captureId: string) =>
    [
      'PUT',
      `${list}${tid}/`,
      JSON.stringify({ action: 'CAPTURE', amount: '1.00', currency: 'NOK', capture_id: captureId }),
    ] as const,
  outcome: (tid: string) => ['GET', `${list}${tid}/outcome/`] as const,
}
