import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Tokens } from '../../application/grants.ts'
import type { Vault } from './vault.ts'

export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url')

/** Compares in a time that tells nothing of the texts. */
export const isSameText = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** 256 random bits, and the digest that is stored of them. */
export const newToken = (): { readonly token: string; readonly digest: string } => {
  const token = randomBytes(32).toString('base64url')
  return { token, digest: sha256(token) }
}

/** What an OAuth application is called, its secret, and the digest that is stored of that. */
export const newClient = () => {
  const { token: secret, digest: secretHash } = newToken()
  return { clientId: newToken().token.slice(0, 22), secret, secretHash }
}

/** Without those that are easily taken for one another, because ids of shortlinks are read off stickers. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** An id that nobody can guess: 12 of 31 characters are 59 bits. */
export const newShortlinkId = (): string =>
  Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')

/** 256 bits for each purpose, which nobody can guess who does not have the vault. */
export const makeDerivation = ({ secret }: Vault) => {
  const key = secret('tokens')
  return (...parts: readonly (string | number)[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

/** Tokens and signatures are derived: every node makes them alike, and the log holds no more than their digests. */
export const makeTokens = (derive: ReturnType<typeof makeDerivation>) => {
  const sign = (...parts: readonly string[]): string => derive('signature', ...parts)
  const ofGrants: Tokens = {
    access: (grant, generation) => derive('access', grant, generation),
    refresh: (grant, generation) => derive('refresh', grant, generation),
    // It says whose code it is, so that redeeming it needs no read model.
    code: (authorization) => authorization + derive('code', authorization),
    digest: sha256,
  }
  return {
    ...ofGrants,
    /** `token:<20 digits>`, by which a merchant may name the payer who made a scan. */
    scanToken: (scan: string): string => {
      const bytes = Buffer.from(derive('scan', scan), 'base64url')
      const number = BigInt(`0x${bytes.toString('hex')}`) % 10n ** 20n
      return `token:${String(number).padStart(20, '0')}`
    },
    /** Keyed, because twenty digits are not many. */
    scanTokenDigest: (token: string): string => derive('scan-token', token),
    /** What makes a link work without further authentication. */
    sign,
    isSigned: (signature: string, ...parts: readonly string[]): boolean =>
      isSameText(signature, sign(...parts)),
  }
}
