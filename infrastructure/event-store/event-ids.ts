import { hash } from 'node:crypto'

const lengthOfUuid = 36
const dashes = [8, 13, 18, 23]
/** Where in a UUID the two digits of each byte begin. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

const noDigit = 16
/** What each character of ASCII is worth as a hexadecimal digit. */
const worth = Uint8Array.from({ length: 128 }, (_, character) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(character).toLowerCase())
  return value < 0 ? noDigit : value
})

/**
 * The 16 bytes of a UUID; undefined for any other text. Written out, for every event comes through here, and a pattern
 * and a conversion take four times as long.
 */
export const bytesOf = (uuid: string): Buffer | undefined => {
  if (uuid.length !== lengthOfUuid || !dashes.every((place) => uuid[place] === '-'))
    return undefined
  const bytes = Buffer.allocUnsafe(places.length)
  let index = 0
  for (const place of places) {
    const high = worth[uuid.charCodeAt(place)] ?? noDigit
    const low = worth[uuid.charCodeAt(place + 1)] ?? noDigit
    if ((high | low) >= noDigit) return undefined
    bytes[index++] = high * 16 + low
  }
  return bytes
}

/** The variant of RFC 9562 in the two high bits of a hexadecimal digit. */
const variants = ['8', '9', 'a', 'b'] as const
const variantOf = (digit: string): string => variants[parseInt(digit, 16) & 3] as string

/** Makes UUIDs of version 5 (RFC 9562, 5.5) in one namespace: equal for equal names, and for no others. */
export const uuidsOf = (namespace: string) => {
  const space = bytesOf(namespace)
  if (!space) throw new TypeError(`'${namespace}' is no UUID`)
  return (name: string): string => {
    const hex = hash('sha1', Buffer.concat([space, Buffer.from(name)]))
    const variant = variantOf(hex.charAt(16)) + hex.slice(17, 20)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}-${hex.slice(20, 32)}`
  }
}

/** Makes names of which none is given twice, for a part of the price of a random one each time. */
export const numberedFrom = (name: string) => {
  let count = 0
  return (): string => `${name}/${count++}`
}
