import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { stringToSign } from './signing.ts'

/** The service's public keys, as a receiver of callbacks keeps them. */
export type CallbackKeys = { readonly rsa: KeyObject; readonly webhook: KeyObject }

export type Posted = {
  /** As the receiver is registered. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const toleranceMs = 300_000

/** An Ed25519 key in the form of Standard Webhooks: `whpk_` and 32 bytes in base64. */
const webhookKeyOf = (text: string): KeyObject => {
  const x = Buffer.from(text.replace(/^whpk_/, ''), 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** Fetches the keys that the service publishes. */
export const fetchCallbackKeys = async (service: string): Promise<CallbackKeys> => {
  const pem = await fetch(`${service}/callback_key.pem`)
  const list = await fetch(`${service}/callback_keys.json`)
  const rsa = createPublicKey(await pem.text())
  const { keys } = (await list.json()) as { keys: { rsa_pem: string; ed25519: string }[] }
  const own = keys.find(({ rsa_pem }) => createPublicKey(rsa_pem).equals(rsa))
  if (!own) throw new Error('the key in callback_key.pem is not among those in callback_keys.json')
  return { rsa, webhook: webhookKeyOf(own.ed25519) }
}

const isRecent = (at: number): boolean => Math.abs(Date.now() - at) < toleranceMs

/**
 * The service's own signature: `Authorization: RSA-SHA256 …` over method, URL, timestamp and
 * content digest.
 */
const isSignedWithRsa = ({ url, headers }: Posted, key: KeyObject): boolean => {
  const [scheme, signature = ''] = headers['authorization']?.split(' ') ?? []
  const text = Buffer.from(stringToSign('POST', url, headers))
  return scheme === 'RSA-SHA256' && verify('sha256', text, key, Buffer.from(signature, 'base64'))
}

/** Standard Webhooks, asymmetric: `v1a,` and an Ed25519 signature of `id.timestamp.body`. */
const isStandardWebhook = ({ headers, body }: Posted, key: KeyObject): boolean => {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  return signatures.some((one) => {
    const [version, signature = ''] = one.split(',')
    const bytes = Buffer.from(signature, 'base64')
    return version === 'v1a' && verify(null, Buffer.from(text), key, bytes)
  })
}

/** What is wrong with a message; nothing is when it can be believed. */
export const problemsOf = (posted: Posted, keys: CallbackKeys, merchant = 'sandbox'): string[] => {
  const { headers, body } = posted
  const { meta } = JSON.parse(body) as { meta: { id: string; merchant_id: string } }
  const digest = `SHA256=${createHash('sha256').update(body).digest('base64')}`
  const timestamp = headers['x-service-timestamp']?.replace(' ', 'T') ?? ''
  const checks = {
    'the content digest does not match the body': headers['x-service-content-digest'] === digest,
    'the timestamp is stale': isRecent(Date.parse(`${timestamp}Z`)),
    'the RSA signature is bad': isSignedWithRsa(posted, keys.rsa),
    'the webhook timestamp is stale': isRecent(Number(headers['webhook-timestamp']) * 1000),
    'the webhook signature is bad': isStandardWebhook(posted, keys.webhook),
    'the webhook id is not that of the message': headers['webhook-id'] === meta.id,
    'the message is of another merchant': meta.merchant_id === merchant,
  }
  return Object.entries(checks).flatMap(([problem, isRight]) => (isRight ? [] : problem))
}
