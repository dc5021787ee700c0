import { createHash, createPrivateKey, createSign, randomUUID, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect } from 'vitest'
import { merchants, users } from '../../domain/aggregates.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { within } from '../../domain/stream.ts'
import { startServer } from '../../infrastructure/server.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { givenKeys } from '../given-keys.ts'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON; null when it is none. */
  readonly body: any
}

export type Given = {
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Sent as it stands when it is text or bytes, else as JSON. */
  readonly body?: unknown
}

const textOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Makes requests of one user: a body that is given is sent as in `Given`. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** Sends a request through a socket, its path as it stands, and its body with its length. */
const send = (
  agent: Agent,
  address: string,
  method: string,
  path: string,
  { headers = {}, body }: Given,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const sent = body === undefined ? undefined : textOf(body)
    const type = { ...(sent !== undefined && { 'Content-Type': 'application/json' }) }
    const isChunked = 'Transfer-Encoding' in headers
    const length = sent !== undefined && !isChunked && { 'Content-Length': Buffer.byteLength(sent) }
    const outgoing = request(
      { agent, hostname, port, method, path, headers: { ...type, ...length, ...headers } },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const { statusCode: status = 0, headers } = incoming
          resolve({ status, headers, text, body: parsed(text) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(sent)
  })

export const dateTime = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replace('T', ' ')

export type Signing = {
  readonly method: string
  /** As the client writes it; what is signed has scheme and host in lower case. */
  readonly url: string
  readonly body?: unknown
  /** Null leaves its header out. */
  readonly merchant: string | null
  readonly user: string | null
  readonly key: KeyObject
  readonly at?: number
  readonly prefix?: string
  /** Further headers; those with the prefix are signed too. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The headers of a request with level KEY, made from the words of the interface alone. */
export const sign = (signing: Signing): Record<string, string> => {
  const { method, url, body, merchant, user, key, at = Date.now(), prefix = 'X-Service' } = signing
  const content = body === undefined ? '' : textOf(body)
  const headers: Record<string, string> = {
    ...(merchant !== null && { [`${prefix}-Merchant`]: merchant }),
    ...(user !== null && { [`${prefix}-User`]: user }),
    [`${prefix}-Timestamp`]: dateTime(at),
    [`${prefix}-Content-Digest`]: `SHA256=${createHash('sha256').update(content).digest('base64')}`,
    ...signing.headers,
  }
  const text = stringToSign(method, url, headers, prefix)
  const signature = createSign('RSA-SHA256').update(text).sign(key, 'base64')
  return { ...headers, Authorization: `RSA-SHA256 ${signature}` }
}

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

/** The real service in this process, on a folder of its own that goes away with it, behind a real socket. */
export const startService = async (
  environment: Readonly<Record<string, string>> = {},
  folder = givenKeys(mkdtempSync(join(tmpdir(), 'daybook-http-'))),
) => {
  const settings = readSettings({ DATA_DIR: folder, PORT: '0', MODE: 'sandbox', ...environment })
  const logged: string[] = []
  const log = pino(
    { level: settings.LOG_LEVEL, errorKey: 'error' },
    { write: (line: string) => void logged.push(line) },
  )
  const server = await startServer(settings, log)
  const { address, core } = server
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const prefix = settings.HEADER_PREFIX
  const base = settings.PUBLIC_URL ?? address

  const call = (method: string, path: string, given: Given = {}): Promise<Answer> =>
    send(agent, address, method, path, given)

  const withSecret: (merchant: string, user: string, secret: string) => Caller =
    (merchant: string, user: string, secret: string) =>
    (method, path, body, headers = {}) =>
      call(method, path, {
        ...(body !== undefined && { body }),
        headers: {
          [`${prefix}-Merchant`]: merchant,
          [`${prefix}-User`]: user,
          Authorization: `SECRET ${secret}`,
          ...headers,
        },
      })

  const withKey: (merchant: string, user: string, key: KeyObject) => Caller =
    (merchant: string, user: string, key: KeyObject) =>
    (method, path, body, headers = {}) => {
      const url = base + path
      const signed = sign({ method, url, body, merchant, user, key, prefix, headers })
      return call(method, path, { ...(body !== undefined && { body }), headers: signed })
    }

  const keyFile = join(folder, 'sandbox-admin-key.pem')
  let key: KeyObject | undefined
  const adminKey = () => (key ??= createPrivateKey(readFileSync(keyFile)))
  return {
    ...server,
    settings,
    folder,
    logged,
    call,
    withSecret,
    withKey,
    /** The sandbox's user, who may do what SECRET allows. */
    pos1: withSecret('sandbox', 'pos1', 'sandbox-secret'),
    get adminKey() {
      return adminKey()
    },
    /** The sandbox's superuser, who signs. */
    admin: ((...request) => withKey('sandbox', 'admin', adminKey())(...request)) as Caller,
    /** A further merchant, and its user `till` with a secret. */
    addMerchant: async (id: string, netmask: string | null = null, secret = 'open sesame') => {
      const context = core.contextOf('test', id)
      const known = { id, businessName: id, currency: 'NOK', lookupIds: [], netmask }
      const data = newMerchant(known)
      await core.handle(merchants, id, { type: 'Register', data }, context)
      const till = {
        merchant: id,
        id: 'till',
        roles: ['user' as const],
        netmask: null,
        secretHash: await hashSecret(secret),
        publicKey: null,
      }
      await core.handle(users, within(id, 'till'), { type: 'Register', data: till }, context)
      return withSecret(id, 'till', secret)
    },
    stop: async (isLast = true) => {
      agent.destroy()
      await server.stop()
      if (isLast) rmSync(folder, { recursive: true })
    },
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

/** The path of a full URL that the service gave. */
export const pathOf = (url: string | undefined): string => {
  const { pathname, search } = new URL(url ?? '')
  return pathname + search
}

export const paths = {
  payments: '/merchant/v1/payment_request/',
  pointsOfSale: '/merchant/v1/pos/',
  users: '/merchant/v1/user/',
  statusCodes: '/merchant/v1/status_code/',
  clock: '/sandbox/v1/clock/',
} as const

export const json = 'application/vnd.service.api.merchant.v1+json'

/** What every error is made of. */
export const error = (error_type: string, description: RegExp, error_details: unknown = null) => ({
  error_type,
  error_description: expect.stringMatching(description),
  error_details,
})

/** A 400 about these fields. */
export const wrongFields = (...fields: string[]) => ({
  status: 400,
  body: {
    error_type: 'validation_error',
    error_description: 'Your request caused validation errors. Please check your data.',
    error_details: Object.fromEntries(
      fields.map((field) => [field, [expect.stringMatching(/^[A-Z]/)]]),
    ),
  },
})

/** A request that the service accepts, under a number of its own. */
export const paymentInput = (changes: Readonly<Record<string, unknown>> = {}) => ({
  pos_id: 'till-1',
  pos_tid: randomUUID(),
  action: 'auth',
  currency: 'NOK',
  amount: '100.00',
  allow_credit: false,
  customer: '+4799999901',
  ...changes,
})

/** Requests a payment; answers its path. */
export const requestPayment = async (
  caller: Caller,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const answer = await caller('POST', paths.payments, paymentInput(changes))
  if (answer.status !== 201) throw new Error(answer.text)
  return pathOf(answer.headers.location)
}

/** Requests a payment, and Alice accepts; answers its path. */
export const authorizedPayment = async (
  { pos1, call }: Service,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const path = await requestPayment(pos1, changes)
  const tid = path.split('/').at(-2)
  const answer = await call('POST', `/sandbox/v1/payment_request/${tid}/accept/`)
  if (answer.status !== 204) throw new Error(answer.text)
  return path
}
