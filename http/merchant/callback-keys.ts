import { z } from 'zod'
import { type Route, routesOf } from '../route.ts'
import { dateTime } from '../wire.ts'

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

type CallbackKeyNeeds = {
  readonly callbackKeys: () => Promise<readonly PublishedKey[]>
  /** The RSA public key that this node signs with now. */
  readonly callbackKeyPem: () => string
}

const { get } = routesOf({ access: 'OPEN', group: 'Service' })

export const callbackKeyRoutes = (needs: CallbackKeyNeeds): Route[] => [
  get('/callback_key.pem', {
    summary: 'The RSA public key that callbacks are signed with',
    success: 'raw',
    replyTypes: ['application/x-pem-file'],
    handle: () => ({ type: 'application/x-pem-file', body: needs.callbackKeyPem() }),
  }),
  get('/callback_keys.json', {
    summary: 'All keys that callbacks have been signed with, with their validity',
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
