import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { paymentInput, registerMerchant } from '../../harness/register-merchant.ts'
import { secretHeaders, signedHeaders } from '../../harness/signing.ts'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON; null if it is not JSON. */
  readonly body: any
}

type Given = {
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Text and bytes are sent as they are, anything else as JSON. */
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

/** Sends a request through a socket, with its path as given and its body with its length. */
export const send = (
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

/**
 * Makes requests of one user; the body is sent as in `Given`. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

type Signing = {
  readonly method: string
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

/** The headers of a user's request with level KEY. */
export const sign = (signing: Signing): Record<string, string> => {
  const { method, url, body, merchant, user, key, at, prefix = 'X-Service' } = signing
  const headers = {
    ...(merchant !== null && { [`${prefix}-Merchant`]: merchant }),
    ...(user !== null && { [`${prefix}-User`]: user }),
    ...signing.headers,
  }
  const content = body === undefined ? '' : textOf(body)
  return signedHeaders({ method, url, body: content, key, at, prefix, headers })
}

const bodyGiven = (body: unknown): Given => ({ ...(body !== undefined && { body }) })

/** The service in this process, behind a real socket, on a folder that goes away with it.
 * Long because it is the record of all that such a test asks for.
 */
export const startService = async (
  environment: Readonly<Record<string, string>> = {},
  ofFolder?: string,
) => {
  const { start: _, ...server } = await startInProcess(environment, ofFolder)
  const { address, core, settings, folder } = server
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const prefix = settings.HEADER_PREFIX
  const base = settings.PUBLIC_URL ?? address

  const call = (method: string, path: string, given: Given = {}): Promise<Answer> =>
    send(agent, address, method, path, given)

  const withSecret = (merchant: string, user: string, secret: string): Caller => {
    const own = secretHeaders(merchant, user, secret, prefix)
    return (method, path, body, headers = {}) =>
      call(method, path, { ...bodyGiven(body), headers: { ...own, ...headers } })
  }

  const withKey =
    (merchant: string, user: string, key: KeyObject): Caller =>
    (method, path, body, headers = {}) => {
      const url = base + path
      const signed = sign({ method, url, body, merchant, user, key, prefix, headers })
      return call(method, path, { ...bodyGiven(body), headers: signed })
    }

  const keyFile = join(folder, 'sandbox-admin-key.pem')
  let key: KeyObject | undefined
  const adminKey = () => (key ??= createPrivateKey(readFileSync(keyFile)))
  return {
    ...server,
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
      await registerMerchant(
        core,
        { id, businessName: id, netmask },
        'till',
        await hashSecret(secret),
      )
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
