import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Tokens } from '../../application/tokens.ts'
import type { Vault } from './vault-port.ts'
import { randomBytes, randomInt } from '../../application/machine.ts'

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
  return { clientId: make('client id').slice(0, 22), secret, secretHash: sha256(secret) }
}

/** No look-alikes, because people type the ids of shortlinks from stickers. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

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
    /** The code of an authorization, and the hash to store. */
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
