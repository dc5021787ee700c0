import { isIP } from 'node:net'
import { signEd25519, signRsaOnPool, type PrivateKeys, type SignRsa } from '../keys/keys.ts'
import {
  isPublic,
  PrivateAddress,
  resolvePublic,
  type Resolve,
  lookupWith,
  makeResolve,
} from './name-resolution.ts'
import { trustingAlso } from './certificate-problem.ts'
import { checkDeadline, type Deadline } from '../deadline.ts'
import { makePost, type PostAnswer } from './post.ts'
import { createHmac } from 'node:crypto'
import type { Find } from '../../application/find-state.ts'
import { callbackSecrets } from '../../domain/aggregates.ts'
import { validNumbers } from '../../domain/merchant/callback-secret.ts'
import type { Instant } from '../../domain/time.ts'

const prefix = 'whsec_'

const hmacOf = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(content)
    .digest('base64')

export type Needs = {
  readonly find: Find
  /** Cannot be computed without the vault. */
  readonly derive: (...parts: readonly (string | number)[]) => string
}

/** The secrets that sign a merchant's callbacks, current one first. */
export const secretsOfMerchants =
  ({ find, derive }: Needs) =>
  async (merchant: string, at: Instant) => {
    const state = await find(callbackSecrets, merchant, 'log')
    return validNumbers(state, at).map(({ number, validUntil }) => {
      const bytes = Buffer.from(derive('callback-secret', merchant, number), 'base64url')
      return { secret: prefix + bytes.toString('base64'), validUntil }
    })
  }

export type FindCallbackSecrets = ReturnType<typeof secretsOfMerchants>

/** A message, and the input of its signatures. */
export type Unsigned = {
  readonly uri: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Text for the RSA signature, in the format of request signatures. */
  readonly text: string
  /** Content for Standard Webhooks signatures. */
  readonly content: string
  readonly secrets: readonly string[]
  readonly until?: Deadline | undefined
}

/** Can be sent to another thread. */
export type PostOptions = {
  readonly arePrivateAddressesAllowed: boolean
  /** PEM, in addition to Node's. */
  readonly certificates?: string | undefined
  readonly otherCertificates?: string | undefined
}

/** @throws PrivateAddress if the host is an address that is not public */
export const checkLiteral = (uri: string): void => {
  const host = new URL(uri).hostname.replace(/^\[|\]$/g, '')
  // Names are checked when resolved; literal addresses are not resolved, so they are checked here.
  if (isIP(host) !== 0 && !isPublic(host)) throw new PrivateAddress(host)
}

export const makeSignedPost = (
  { arePrivateAddressesAllowed, certificates, otherCertificates }: PostOptions,
  resolve: Resolve = makeResolve(),
  signRsa: SignRsa = signRsaOnPool,
) => {
  const { post, close } = makePost({
    lookup: lookupWith(arePrivateAddressesAllowed ? resolve : resolvePublic(resolve)),
    secureContext: trustingAlso(certificates, otherCertificates),
  })
  return {
    close,
    /** @throws TooLate, or another Error if there was no response */
    post: async (message: Unsigned, { rsa, ed25519 }: PrivateKeys): Promise<PostAnswer> => {
      const { uri, body, headers, text, content, secrets, until } = message
      if (!arePrivateAddressesAllowed) checkLiteral(uri)
      const signatures = [
        ...secrets.map((secret) => `v1,${hmacOf(secret, content)}`),
        `v1a,${signEd25519(ed25519, content)}`,
      ]
      const signed = {
        ...headers,
        Authorization: `RSA-SHA256 ${await signRsa(rsa, text)}`,
        'webhook-signature': signatures.join(' '),
      }
      // Last check before sending: this process may just have been frozen.
      checkDeadline(until)
      return post(uri, signed, body)
    },
  }
}

export type SignedPost = ReturnType<typeof makeSignedPost>
