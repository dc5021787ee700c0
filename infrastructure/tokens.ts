import { randomInt, timingSafeEqual } from 'node:crypto'

type Digest = (purpose: string, ...parts: readonly string[]) => string

/** Without those that are easily taken for one another, because ids of shortlinks are read off stickers. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** An id that nobody can guess: 12 of 31 characters are 59 bits. */
export const newShortlinkId = (): string =>
  Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')

/** The keyed tokens and signatures that every node makes alike. */
export const makeTokens = (digest: Digest) => {
  /** Derived, so that it can be shown again although only its digest is kept. */
  const scanToken = (scan: string): string => {
    const number = BigInt(`0x${digest('scan-token', scan)}`) % 10n ** 20n
    return `token:${String(number).padStart(20, '0')}`
  }
  const sign = (...parts: readonly string[]): string => digest('signature', ...parts)
  return {
    scanToken,
    tokenDigest: (token: string): string => digest('token', token),
    sign,
    isSigned: (signature: string, ...parts: readonly string[]): boolean => {
      const given = Buffer.from(signature)
      const expected = Buffer.from(sign(...parts))
      return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
    },
  }
}
