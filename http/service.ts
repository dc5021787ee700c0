import { z } from 'zod'
import type { Links } from './addresses.ts'
import { RequestError } from './errors.ts'
import { route, type Route } from './route.ts'
import { dateTime } from './wire.ts'

type PublishedKey = {
  readonly id: string
  readonly validFrom: number
  readonly rsaPem: string
  readonly rsaJwk: Readonly<Record<string, unknown>>
  readonly ed25519Pem: string
  readonly ed25519Jwk: Readonly<Record<string, unknown>>
  /** Ed25519 key as in Standard Webhooks. */
  readonly webhookKey: string
}

export type ServiceNeeds = {
  readonly links: Links
  readonly ready: () => Promise<{
    readonly isReady: boolean
    readonly position: number
    readonly head: number
    readonly isStoreUp: boolean
    /** Whether read models must be rebuilt, as the next start does. */
    readonly isDamaged: boolean
  }>
  /** What the operator should look at, by setting. */
  readonly readyDetails: () => Readonly<Record<string, string[]>>
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
  readonly callbackKeys: () => Promise<readonly PublishedKey[]>
  /** This node's RSA public key. */
  readonly callbackKeyPem: string
}

const group = 'Service'

const readyReply = z
  .object({
    status: z.literal('ready'),
    position: z.int().meta({ description: 'Position of the read models in the log.' }),
    head: z.int().meta({ description: 'Where the log ends.' }),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: 'Settings that seem wrong, and why.' }),
  })
  .meta({ id: 'Ready' })

/** On the public port only in the sandbox. */
export const metricsRoute = ({ metrics }: Pick<ServiceNeeds, 'metrics'>): Route =>
  route({
    method: 'GET',
    path: '/metrics',
    access: 'OPEN',
    group,
    summary: 'Metrics for Prometheus',
    success: 'raw',
    replyTypes: ['text/plain'],
    handle: async () => {
      const { type, text } = await metrics()
      return { type, body: text }
    },
  })

/** Health, keys and documentation. */
export const serviceRoutes = (needs: ServiceNeeds): Route[] => [
  route({
    method: 'GET',
    path: '/',
    access: 'OPEN',
    group,
    summary: 'Leads to the page that describes this interface',
    success: 'found',
    handle: () => ({ location: needs.links.full('/docs') }),
  }),
  route({
    method: 'GET',
    path: '/health/live',
    access: 'OPEN',
    group,
    summary: 'Whether the process answers',
    success: 'value',
    reply: z.object({ status: z.literal('live') }).meta({ id: 'Live' }),
    handle: () => ({ status: 'live' as const }),
  }),
  route({
    method: 'GET',
    path: '/health/ready',
    access: 'OPEN',
    group,
    summary:
      'Whether the read models have caught up; 503 with the progress while they have not, and while the store is away',
    success: 'value',
    reply: readyReply,
    handle: async () => {
      const { isReady, position, head, isStoreUp, isDamaged } = await needs.ready()
      const warnings = needs.readyDetails()
      const hasWarnings = Object.keys(warnings).length > 0
      if (isReady)
        return {
          status: 'ready' as const,
          position,
          head,
          ...(hasWarnings && { details: warnings }),
        }
      const percent = Math.floor((100 * position) / Math.max(head, 1))
      const details = { position: [String(position)], head: [String(head)], ...warnings }
      const catchingUp = `The read models are catching up with the log: ${percent} % done.`
      const damaged = 'The read models are damaged: the service must be started again.'
      const isThere = isDamaged ? damaged : catchingUp
      const description = isStoreUp
        ? isThere
        : 'The log of events, the vault or the folder of blobs cannot be used just now.'
      throw new RequestError(503, description, details, { 'Retry-After': '1' })
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
            valid_from: dateTime,
            rsa_pem: z.string(),
            rsa_jwk: z.record(z.string(), z.unknown()),
            ed25519_pem: z.string().meta({ description: 'The same key for other tools.' }),
            ed25519_jwk: z.record(z.string(), z.unknown()),
            ed25519: z.string().meta({ description: 'Standard Webhooks: `whpk_…`.' }),
          }),
        ),
      })
      .meta({ id: 'CallbackKeys' }),
    handle: async () => ({
      keys: (await needs.callbackKeys()).map((key) => ({
        id: key.id,
        valid_from: key.validFrom,
        rsa_pem: key.rsaPem,
        rsa_jwk: { ...key.rsaJwk },
        ed25519_pem: key.ed25519Pem,
        ed25519_jwk: { ...key.ed25519Jwk },
        ed25519: key.webhookKey,
      })),
    }),
  }),
]
