// The real service in this process, on a directory of its own, asked through its app without its socket.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { integrators, merchants, pointsOfSale, users } from '../../domain/aggregates.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { newMerchant, type MerchantData } from '../../domain/merchant/merchant.ts'
import { within } from '../../domain/stream.ts'
import { namesOf } from '../../http/brand.ts'
import { allRoutes, type RouteNeeds } from '../../http/routes.ts'
import { stringToSign } from '../../http/signature.ts'
import type { Log } from '../../infrastructure/log.ts'
import { startServer } from '../../infrastructure/server.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { givenKeys } from '../given-keys.ts'

const publicUrl = 'https://pay.example'
const merchantHeader = 'X-Service-Merchant'

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> | undefined => {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

export const newKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

const secret = 'a secret of tests'

/** Starts it; `directory` is that of an earlier one, to be at work on the same data. */
export const startMerchantService = async (
  directory: string = givenKeys(mkdtempSync(join(tmpdir(), 'daybook-'))),
) => {
  const settings = readSettings({ DATA_DIR: directory, PORT: '0', PUBLIC_URL: publicUrl })
  const bugs: string[] = []
  const log = pino({ level: 'error', errorKey: 'error' }, { write: (line) => bugs.push(line) })
  const { app, core, wordCallback, stop } = await startServer(settings, log as Log)
  const names = namesOf({ headerPrefix: 'X-Service', mediaVendor: 'service' })
  const routes = allRoutes({ names, version: 'test', sandbox: {} } as RouteNeeds)
  const secretHash = await hashSecret(secret)

  const call = async (path: string, { method = 'GET', headers = {}, body }: Sent = {}) => {
    const bytes = bodyOf(body)
    const isJson = bytes !== undefined && !(body instanceof Uint8Array)
    const init = {
      method,
      headers: { ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
      ...(bytes !== undefined && { body: bytes }),
    }
    return app.request(publicUrl + path, init, {
      incoming: { socket: { remoteAddress: '127.0.0.1' } },
    })
  }

  const as = (merchant: string, user = 'pos1') => ({
    [merchantHeader]: merchant,
    'X-Service-User': user,
    Authorization: `SECRET ${merchant === 'sandbox' ? 'sandbox-secret' : secret}`,
  })

  /** Asks as a merchant's user `pos1`. */
  const ask = async (merchant: string, method: string, path: string, body?: object) => {
    const answer = await call(path, { method, headers: as(merchant), ...(body && { body }) })
    const text = await answer.text()
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
  }

  /** The headers of a request that a key has signed. */
  const signedHeaders = (
    who: Readonly<Record<string, string>>,
    privateKey: string,
    { path, method = 'GET', body }: Sent & { readonly path: string },
  ): Record<string, string> => {
    const digest = createHash('sha256').update(bodyOf(body) ?? '')
    const headers = {
      ...who,
      'X-Service-Timestamp': formatDateTime(Date.now()),
      'X-Service-Content-Digest': `SHA256=${digest.digest('base64')}`,
    }
    const text = stringToSign(method, publicUrl + path, Object.entries(headers), 'X-SERVICE-')
    const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64')
    return { ...headers, Authorization: `RSA-SHA256 ${signature}` }
  }

  const context = core.contextOf('operator')
  let count = 0
  return {
    core,
    directory,
    routes,
    wordCallback,
    bugs,
    call,
    as,
    ask,
    /** A merchant of its own, with user `pos1` and POS `till`. */
    newMerchant: async (known: Partial<MerchantData> = {}): Promise<string> => {
      const id = known.id ?? `m${++count}`
      const data = newMerchant({
        businessName: `Shop ${id}`,
        currency: 'NOK',
        lookupIds: [],
        netmask: null,
        ...known,
        id,
      })
      const of = { ...context, merchant: id }
      await core.handle(merchants, id, { type: 'Register', data }, of)
      const user = { merchant: id, id: 'pos1', roles: ['user' as const], netmask: null }
      const withSecret = { ...user, secretHash, publicKey: null }
      await core.handle(users, within(id, 'pos1'), { type: 'Register', data: withSecret }, of)
      const pos = { merchant: id, id: 'till', name: 'Till', type: 'store' as const, location: null }
      await core.handle(pointsOfSale, within(id, 'till'), { type: 'Register', data: pos }, of)
      return id
    },
    /** An integrator with keys of its own; answers how it calls for a merchant, or for none. */
    newIntegrator: async (id: string, served: readonly string[]) => {
      const { publicKey, privateKey } = newKeys()
      const data = { id, name: `Integrator ${id}`, publicKey, merchants: [...served] }
      await core.handle(integrators, id, { type: 'Register', data }, context)
      return async (path: string, merchant: string | null, sent: Sent = {}) => {
        const who = {
          'X-Service-Integrator': id,
          ...(merchant !== null && { [merchantHeader]: merchant }),
          ...sent.headers,
        }
        return call(path, { ...sent, headers: signedHeaders(who, privateKey, { ...sent, path }) })
      }
    },
    signedHeaders,
    advance: (seconds: number) =>
      call('/sandbox/v1/clock/', { method: 'POST', body: { advance_seconds: seconds } }),
    stop: async (isLast = true): Promise<void> => {
      await stop()
      if (isLast) rmSync(directory, { recursive: true })
    },
  }
}

export type MerchantService = Awaited<ReturnType<typeof startMerchantService>>

/** A payment request as a test makes it; each has a number of its own. */
let requests = 0
export const paymentRequest = (change: Readonly<Record<string, unknown>> = {}) => ({
  pos_id: 'till',
  pos_tid: `t${++requests}`,
  action: 'auth',
  currency: 'NOK',
  amount: '50.00',
  allow_credit: false,
  ...change,
})
