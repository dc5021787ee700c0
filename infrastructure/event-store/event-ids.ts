import { hash } from 'node:crypto'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The 16 bytes of a UUID; undefined for any other text. */
export const bytesOf = (text: string): Buffer | undefined =>
  uuid.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined

/** A UUID from 32 hexadecimal digits. */
export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-` +
  `${hex.slice(16, 20)}-${hex.slice(20)}`

/** The variant of RFC 9562 in the two high bits of a hexadecimal digit. */
const variants = ['8', '9', 'a', 'b'] as const
const variantOf = (digit: string): string => variants[parseInt(digit, 16) & 3] as string

/** Hexadecimal digits for 48 bits. */
const timeDigits = 12

/**
 * A UUID of version 8 (RFC 9562, 5.8): 48 bits of the time in ms since 1970, and a hash of the
 * name. Ids of the same time are adjacent in every index; equal times and names give equal ids.
 */
export const timedUuid = (name: string, at: number): string => {
  const time = at.toString(16).padStart(timeDigits, '0')
  const hex = hash('sha1', name)
  const variant = variantOf(hex.charAt(3)) + hex.slice(4, 7)
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex.slice(0, 3)}-${variant}-${hex.slice(7, 19)}`
}

/** Generates unique names, more cheaply than a random one each time. */
export const numberedFrom = (name: string) => {
  let count = 0
  return (): string => `${name}/${count++}`
}
