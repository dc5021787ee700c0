import { z } from 'zod'
import { route, type Route } from './route.ts'

export type PublishedKey = {
  readonly id: string
  readonly validFrom: number
  readonly rsaPem: string
  readonly rsaJwk: Readonly<Record<string, unknown>>
  /** Ed25519 key in the form of Standard Webhooks. */
  readonly webhookKey: string
}

export type ServiceNeeds = {
  readonly ready: () => Promise<{
    readonly isReady: boolean
    readonly position: number
    readonly head: number
  }>
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
  readonly callbackKeys: () => Promise<readonly PublishedKey[]>
  /** The RSA public key that this node signs with. */
  readonly callbackKeyPem: string
}

const group = 'Service'
const jsonType = 'application/json'

/** What the service says of itself. */
export const serviceRoutes = (needs: ServiceNeeds): Route[] => [
  route({
    method: 'GET',
    path: '/health/live',
    access: 'OPEN',
    group,
    summary: 'Whether the process answers',
    success: 'raw',
    replyTypes: [jsonType],
    handle: () => ({ type: jsonType, body: JSON.stringify({ status: 'live' }) }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    access: 'OPEN',
    group,
    summary: 'Whether the read models have caught up; 503 with the progress while they have not',
    success: 'raw',
    replyTypes: [jsonType],
    handle: async () => {
      const { isReady, position, head } = await needs.ready()
      const status = isReady ? 'ready' : 'catching up'
      const progress = head === 0 ? 1 : Math.min(1, position / head)
      const body = JSON.stringify({ status, position, head, progress: Number(progress.toFixed(4)) })
      const reply = { type: jsonType, body }
      return isReady ? reply : { ...reply, isUnavailable: true, headers: { 'Retry-After': '1' } }
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    access: 'OPEN',
    group,
    summary: 'Metrics for Prometheus',
    success: 'raw',
    replyTypes: ['text/plain'],
    handle: async () => {
      const { type, text } = await needs.metrics()
      return { type, body: text }
    },
  }),
  route({
    method: 'GET',
    path: '/callback_key.pem',
    access: 'OPEN',
    group,
    summary: 'The RSA public key that callbacks are signed with',
    success: 'raw',
    replyTypes: ['application/x-pem-file'],
    handle: () => ({ type: 'application/x-pem-file', body: needs.callbackKeyPem }),
  }),
  route({
    method: 'GET',
    path: '/callback_keys.json',
    access: 'OPEN',
    group,
    summary: 'All keys that callbacks have been signed with, with their validity',
    success: 'value',
    reply: z
      .object({
        keys: z.array(
          z.object({
            id: z.string(),
            valid_from: z.string().meta({ format: 'date-time' }),
            rsa_pem: z.string(),
            rsa_jwk: z.record(z.string(), z.unknown()),
            ed25519: z.string().meta({ description: 'Standard Webhooks: `whpk_…`.' }),
          }),
        ),
      })
      .meta({ id: 'CallbackKeys' }),
    handle: async () => ({
      keys: (await needs.callbackKeys()).map((key) => ({
        id: key.id,
        valid_from: new Date(key.validFrom).toISOString(),
        rsa_pem: key.rsaPem,
        rsa_jwk: { ...key.rsaJwk },
        ed25519: key.webhookKey,
      })),
    }),
  }),
]
