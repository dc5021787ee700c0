import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import type { CallbackKeys } from './callback-keys.ts'
import { InvalidCallback } from './errors.ts'
import type { CallbackEvents, CallbackMeta } from './generated/operations.ts'
import type { Clock } from './options.ts'
import { receivedIn, type CallbackRequest, type Received } from './received.ts'
import { seenInMemory, type Seen } from './seen.ts'

export type CallbackOptions = {
  /** Whose messages are taken: anybody's are signed with the same keys. */
  readonly merchant: string
  /** `whsec_…`; several while one replaces another. */
  readonly secret?: string | readonly string[] | undefined
  /** `whpk_…`, or those that `callbackKeys` reads. One of `secret` and `keys` must be there. */
  readonly keys?: readonly string[] | CallbackKeys | undefined
  /** By default the last 100,000 of this process. */
  readonly seen?: Seen | undefined
  /** How far off the time of sending may be, in seconds: 300. */
  readonly tolerance?: number | undefined
  readonly clock?: Pick<Clock, 'now'> | undefined
}

type VerifiedCallback<Event extends keyof CallbackEvents> = {
  readonly event: Event
  readonly meta: CallbackMeta
  /** Absent over http: read `meta.uri`. */
  readonly object: CallbackEvents[Event]['object']
  /** Whether it came before and was done. */
  readonly isRepeated: boolean
  /** Remembers the message, once all is done that it asks for. */
  readonly done: () => Promise<void>
}

/** A message that can be believed. Events that are not known here may come, too. */
export type Callback = {
  [Event in keyof CallbackEvents]: VerifiedCallback<Event>
}[keyof CallbackEvents]

const bytesOf = (text: string, prefix: string): Buffer =>
  Buffer.from(text.replace(prefix, ''), 'base64')

const publicKeys = new Map<string, KeyObject>()

const publicKeyOf = (text: string): KeyObject => {
  const known = publicKeys.get(text)
  if (known) return known
  const x = bytesOf(text, 'whpk_').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  publicKeys.set(text, key)
  return key
}

const signaturesIn = (header: string, version: string): Buffer[] =>
  header.split(' ').flatMap((one) => {
    const [name, signature = ''] = one.split(',')
    return name === version ? Buffer.from(signature, 'base64') : []
  })

type Signed = { readonly text: Buffer; readonly header: string }

const isBySecret = ({ text, header }: Signed, secrets: readonly string[]): boolean =>
  secrets.some((secret) => {
    const expected = createHmac('sha256', bytesOf(secret, 'whsec_')).update(text).digest()
    return signaturesIn(header, 'v1').some(
      (one) => one.length === expected.length && timingSafeEqual(one, expected),
    )
  })

const isByKey = ({ text, header }: Signed, keys: readonly string[]): boolean =>
  keys.some((key) =>
    signaturesIn(header, 'v1a').some((one) => verify(null, text, publicKeyOf(key), one)),
  )

const isSigned = async (signed: Signed, { secret, keys }: CallbackOptions): Promise<boolean> => {
  if (secret !== undefined && isBySecret(signed, [secret].flat())) return true
  if (typeof keys !== 'function') return isByKey(signed, keys ?? [])
  // A key may be newer than those that are known.
  return isByKey(signed, await keys(false)) || isByKey(signed, await keys(true))
}

const checkSignature = async (
  { header, text }: Received,
  options: CallbackOptions,
): Promise<void> => {
  const { secret, keys, tolerance = 300, clock = Date } = options
  if (secret === undefined && keys === undefined)
    throw new TypeError('Give a secret or keys to verify callbacks with.')
  const at = header('webhook-timestamp')
  const age = Math.abs(clock.now() / 1000 - (/^\d+$/.test(at) ? Number(at) : Number.NaN))
  if (!(age <= tolerance)) throw new InvalidCallback('timestamp', 'Its time of sending is off.')
  const signed = {
    text: Buffer.from([header('webhook-id'), at, text].join('.')),
    header: header('webhook-signature'),
  }
  if (!(await isSigned(signed, options)))
    throw new InvalidCallback('signature', 'No signature of it is good.')
}

const messageIn = (text: string): { meta: CallbackMeta; object?: any } => {
  try {
    const message = JSON.parse(text)
    if (typeof message?.meta?.id === 'string') return message
  } catch {
    // As any other text that is no message.
  }
  throw new InvalidCallback('message', 'It is no callback message.')
}

const rememberedInMemory = seenInMemory()

/**
 * A callback, when it is genuine, fresh and this merchant's. Call `done` when you have done what it
 * asks for; a message that fails before that comes again.
 * @throws InvalidCallback; TypeError when the bytes of the body are gone
 */
export const verifyCallback = async (
  request: CallbackRequest,
  options: CallbackOptions,
): Promise<Callback> => {
  const received = await receivedIn(request)
  await checkSignature(received, options)
  const { meta, object } = messageIn(received.text)
  if (meta.id !== received.header('webhook-id'))
    throw new InvalidCallback('message', 'Its id is not that of its headers.')
  if (meta.merchant_id !== options.merchant)
    throw new InvalidCallback('merchant', 'It is a message of another merchant.')
  const { seen = rememberedInMemory } = options
  const isRepeated = await seen.has(meta.id)
  const done = async (): Promise<void> => void (await seen.add(meta.id))
  return { event: meta.event, meta, object, isRepeated, done } as Callback
}
