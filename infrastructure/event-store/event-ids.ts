import { hash } from 'node:crypto'

/** The 16 bytes of a UUID. */
export const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** The variant of RFC 9562 in the two high bits of a hexadecimal digit. */
const variants = ['8', '9', 'a', 'b'] as const
const variantOf = (digit: string): string => variants[parseInt(digit, 16) & 3] as string

/** Makes UUIDs of version 5 (RFC 9562, 5.5) in one namespace: equal for equal names, and for no others. */
export const uuidsOf = (namespace: string) => {
  const space = bytesOf(namespace)
  return (name: string): string => {
    const hex = hash('sha1', Buffer.concat([space, Buffer.from(name)]))
    const version = `5${hex.slice(13, 16)}`
    const variant = variantOf(hex.charAt(16)) + hex.slice(17, 20)
    return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join('-')
  }
}
