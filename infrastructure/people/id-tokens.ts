import { compactVerify, errors, exportJWK, SignJWT } from 'jose'
import {
  createHash,
  createPublicKey,
  type KeyObject,
  createHmac,
  timingSafeEqual,
} from 'node:crypto'
import { aside, randomBytes, randomInt } from '../../application/machine.ts'
import { keySetLifetime, type Tokens } from '../../application/tokens.ts'
import { privateKeyOf, UnusableKey } from '../keys/keys.ts'
import { makePrivateKey } from '../keys/slow-crypto.ts'
import type { Vault } from './vault-port.ts'

export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url')

/** Compares in constant time. */
export const isSameText = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** 256 random bits and the digest to store. */
export const newToken = (): { readonly token: string; readonly digest: string } => {
  const token = randomBytes(32).toString('base64url')
  return { token, digest: sha256(token) }
}

/** The id and secret of an OAuth application, and the digest to store. */
export const newClient = (make: (purpose: string) => string = () => newToken().token) => {
  const secret = make('client secret')
  // A command would take an id that begins with a dash for an option.
  const clientId = make('client id').slice(0, 22).replace(/^-/, '_')
  return { clientId, secret, secretHash: sha256(secret) }
}

/** No look-alikes, because people type the ids of shortlinks from stickers. */
export const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** An unguessable id: 12 of 31 characters give 59 bits. */
export const newShortlinkId = (): string =>
  Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')

/** A deterministic id from a secret derived text. */
export const shortlinkIdOf = (derived: string): string =>
  [...Buffer.from(derived, 'base64url').subarray(0, 12)]
    .map((byte) => letters[byte % letters.length])
    .join('')

/** Derives 256 bits per purpose, which cannot be computed without the vault. */
export const makeDerivation = ({ secret }: Vault) => {
  const key = secret('tokens')
  return (...parts: readonly (string | number)[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

/** The same client for the same signature; a new one without a signature. */
export const newClientBy =
  (derive: ReturnType<typeof makeDerivation>) =>
  (signature: string | null): ReturnType<typeof newClient> =>
    newClient(signature === null ? undefined : (purpose) => derive(purpose, signature))

/** A key of an event destination: the same for the same signature. */
export const newKeyBy =
  (derive: ReturnType<typeof makeDerivation>) =>
  (signature: string | null): string => {
    if (signature === null) return randomBytes(16).toString('hex')
    return Buffer.from(derive('event-destination', signature), 'base64url').toString('hex', 0, 16)
  }

/** Derives tokens and signatures: the same on all nodes, with only digests in the log. */
export const makeTokens = (derive: ReturnType<typeof makeDerivation>) => {
  const sign = (...parts: readonly string[]): string => derive('signature', ...parts)
  const ofGrants: Tokens = {
    access: (grant, generation) => derive('access', grant, generation),
    refresh: (grant, generation) => derive('refresh', grant, generation),
    // The code contains its authorization's id, so redeeming it needs no read model.
    code: (authorization) => authorization + derive('code', authorization),
    digest: sha256,
  }
  return {
    ...ofGrants,
    codeOf: (authorization: string) => {
      const code = ofGrants.code(authorization)
      return { code, hash: sha256(code) }
    },
    /** `token:<20 digits>`, by which a merchant may name the payer of a scan. */
    scanToken: (scan: string): string => {
      const bytes = Buffer.from(derive('scan', scan), 'base64url')
      const number = BigInt(`0x${bytes.toString('hex')}`) % 10n ** 20n
      return `token:${String(number).padStart(20, '0')}`
    },
    /** Keyed, because twenty digits could be guessed. */
    scanTokenDigest: (token: string): string => derive('scan-token', token),
    /** A link signed with this needs no further authentication. */
    sign,
    isSigned: (signature: string, ...parts: readonly string[]): boolean =>
      isSameText(signature, sign(...parts)),
  }
}

const prefix = 'id_token_key:'

const idTokenLifetimeSeconds = 3600

type SigningKey = { readonly kid: string; readonly validFrom: number; readonly pem: string }

const readKey = ({
  name,
  secret,
}: {
  readonly name: string
  readonly secret: Buffer
}): SigningKey => {
  const [, validFrom = '', kid = ''] = name.split(':')
  return { kid, validFrom: Number(validFrom), pem: secret.toString('utf8') }
}

const kidOf = (publicKey: KeyObject): string => {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url').slice(0, 16)
}

/**
 * Publishes a new key, which signs once all cached key sets have expired. Older keys stay
 * published, so their signatures remain valid.
 */
export const addIdTokenKey = async (
  vault: Vault,
  now: () => number,
): Promise<{
  readonly kid: string
  readonly publicKey: string
  readonly signsFrom: number
}> => {
  const privateKey = await makePrivateKey('rsa')
  const publicKey = createPublicKey(privateKey)
  const kid = kidOf(publicKey)
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  // Names sort by time. The key becomes valid only later, so tokens derived again until then use
  // the same key.
  const signsFrom = Math.floor(now()) + keySetLifetime * 1000
  const from = String(signsFrom).padStart(15, '0')
  await vault.addSecret(`${prefix}${from}:${kid}`, Buffer.from(secret))
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { kid, publicKey: pem, signsFrom }
}

/** The key of a secret; its id is a digest of its public half. @throws UnusableKey */
const soundKeyOf = ({ kid, pem }: SigningKey): KeyObject => {
  const name = `the key ${kid} of ID tokens in the vault`
  const key = privateKeyOf(name, pem, 'rsa')
  if (kidOf(createPublicKey(key)) === kid) return key
  throw new UnusableKey(`${name} is another one: put the vault back from a copy`)
}

/** Checks the keys, and that those of the log are there. @throws UnusableKey */
export const checkIdTokenKeys = (
  vault: Pick<Vault, 'secrets'>,
  published: ReadonlyMap<string, string>,
): void => {
  const pems = vault.secrets(prefix).map((secret) => {
    const key = createPublicKey(soundKeyOf(readKey(secret)))
    return key.export({ type: 'spki', format: 'pem' }).toString()
  })
  for (const [kid, pem] of published)
    if (!pems.includes(pem))
      throw new UnusableKey(`the vault lacks the key ${kid} of ID tokens: put back its newest copy`)
}

/** The published keys, newest first; the oldest signs from 0 on. */
export const idTokenKeys = (vault: Pick<Vault, 'secrets'>) =>
  vault
    .secrets(prefix)
    .map(readKey)
    .map(({ kid, validFrom }) => ({
      id: kid,
      from: validFrom > keySetLifetime * 1000 ? validFrom : 0,
    }))
    .toReversed()

type IdTokenClaims = {
  readonly subject: string
  readonly audience: string
  readonly accessToken: string
  readonly issuedAt: number
  readonly nonce: string | null
  readonly signedInAt: number | null
}

/** Left half of the SHA-256 of the access token (OpenID Connect Core, 3.1.3.6). */
const halfHash = (token: string): string =>
  createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url')

/**
 * Signs ID tokens (RS256). RSASSA-PKCS1-v1_5 is deterministic, so a repeated request gets the same
 * token.
 */
export const makeIdTokens = (
  vault: Vault,
  issuer: () => string,
  machineTime: (at: number) => Promise<number>,
) => {
  const imported = new Map<string, { readonly pem: string; readonly key: KeyObject }>()
  const keys = (): readonly SigningKey[] => vault.secrets(prefix).map(readKey)

  const keyAt = (at: number): SigningKey => {
    const all = keys()
    const found = all.findLast(({ validFrom }) => validFrom <= at) ?? all[0]
    if (!found) throw new Error('there is no key to sign ID tokens with')
    return found
  }
  const importOnce = (one: SigningKey): KeyObject => {
    const known = imported.get(one.kid)
    if (known?.pem === one.pem) return known.key
    const key = soundKeyOf(one)
    imported.set(one.kid, { pem: one.pem, key })
    return key
  }

  return {
    sign: async (claims: IdTokenClaims): Promise<string> => {
      const { subject, audience, accessToken, issuedAt, nonce, signedInAt } = claims
      // Tokens contain the machine's time: the sandbox's clock may be ahead.
      const issued = await machineTime(issuedAt)
      const key = keyAt(issued)
      const seconds = Math.floor(issued / 1000)
      const payload = {
        at_hash: halfHash(accessToken),
        ...(nonce !== null && { nonce }),
        ...(signedInAt !== null && {
          auth_time: Math.floor((await machineTime(signedInAt)) / 1000),
        }),
      }
      const token = new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer())
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + idTokenLifetimeSeconds)
      return aside(() => token.sign(importOnce(key)))
    },
    /** The subject of a token issued here, expired or not; undefined otherwise. */
    subjectOf: async (token: string): Promise<string | undefined> => {
      const keyOf = ({ kid }: { readonly kid?: string }) => {
        const key = keys().find((one) => one.kid === kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return createPublicKey(key.pem)
      }
      try {
        const { payload } = await aside(() =>
          compactVerify(token, keyOf, { algorithms: ['RS256'] }),
        )
        const { iss, sub } = JSON.parse(new TextDecoder().decode(payload))
        return iss === issuer() ? sub : undefined
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
    /** All public keys (RFC 7517), newest first. */
    published: async (): Promise<{ readonly keys: readonly object[] }> => ({
      keys: await Promise.all(
        keys()
          .toReversed()
          .map(async ({ kid, pem }) => {
            const { kty, n, e } = await exportJWK(createPublicKey(pem))
            return { kty, n, e, kid, alg: 'RS256', use: 'sig' }
          }),
      ),
    }),
  }
}
