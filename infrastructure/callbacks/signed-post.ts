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
import { hmacOf } from './merchant-secrets.ts'
import { makePost, type PostAnswer } from './post.ts'

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

const checkLiteral = (uri: string): void => {
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
