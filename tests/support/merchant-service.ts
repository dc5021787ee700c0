import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { integrators, pointsOfSale } from '../../domain/aggregates.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { within } from '../../domain/stream.ts'
import { hashSecret } from '../../infrastructure/people/secrets.ts'
import { startInProcess } from '../../harness/in-process.ts'
import { paymentInput, registerMerchant } from '../../harness/register-merchant.ts'
import { secretHeaders, signedHeaders as signed } from '../../harness/signing.ts'

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

/**
 * The service in this process, asked without its socket; `ofFolder` may be that of a running one.
 * Long because it is the record of all that such a test asks for.
 */
export const startMerchantService = async (ofFolder?: string) => {
  const environment = { PUBLIC_URL: publicUrl, LOG_LEVEL: 'error' }
  const server = await startInProcess(environment, ofFolder)
  const { app, routes, core, wordCallback, stop, folder: directory, logged: bugs } = server
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

  const as = (merchant: string, user = 'pos1') =>
    secretHeaders(merchant, user, merchant === 'sandbox' ? 'sandbox-secret' : secret)

  const ask = async (merchant: string, method: string, path: string, body?: object) => {
    const answer = await call(path, { method, headers: as(merchant), ...(body && { body }) })
    const text = await answer.text()
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as any }
  }

  /** The headers of a request that a key has signed. */
  const signedHeaders = (
    headers: Readonly<Record<string, string>>,
    key: string,
    { path, method = 'GET', body }: Sent & { readonly path: string },
  ) => signed({ method, url: publicUrl + path, body: bodyOf(body), key, headers })

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
      await registerMerchant(core, { ...known, id }, 'pos1', secretHash)
      const of = { ...context, merchant: id }
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

/** A payment request of anybody for 50.00 at the till of a merchant of `newMerchant`. */
export const paymentRequest = (change: Readonly<Record<string, unknown>> = {}) => {
  const { customer: _, ...input } = paymentInput({ pos_id: 'till', amount: '50.00' })
  return { ...input, ...change }
}
