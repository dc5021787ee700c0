import { hash, createHmac } from 'node:crypto'
import { generationalCache, cached } from '../../application/generational-cache.ts'
import type { IdScheme } from '../../domain/installation.ts'

type Digest = (purpose: string, ...parts: readonly string[]) => string

/** Derives the service's id from the POS's own id. */
type DeriveId = (merchant: string, posId: string, posTid: string) => string

const hexDigits = 32

/** 128 bits in hex: the same on every node, and secret without the key. */
export const makeDigest = (key: string): Digest => {
  const bytes = Buffer.from(key, 'base64')
  return (purpose, ...parts) =>
    createHmac('sha256', bytes)
      .update(JSON.stringify([purpose, ...parts]))
      .digest('hex')
      .slice(0, hexDigits)
}

/**
 * Ids that differ only in their last two characters share a prefix: up to a hundred of them if
 * these are digits.
 */
const endOfNumber = 2

/** Hex digits of the shared prefix: 24 bits, which leaves 104 unguessable bits. */
const placeDigits = 6

const placesRemembered = 1_000

/**
 * Derives ids for one purpose. Clustered ids of consecutive requests of a POS share a prefix, so
 * they are adjacent in every index and written to the same pages.
 */
export const deriveIds = (digest: Digest, scheme: IdScheme, purpose: string): DeriveId => {
  if (scheme === 'scattered') return (...parts) => digest(purpose, ...parts)
  const places = generationalCache<string, string>(placesRemembered)
  return (merchant, posId, posTid) => {
    const neighbourhood = [merchant, posId, posTid.slice(0, -endOfNumber)]
    const place = cached(places, JSON.stringify(neighbourhood), () =>
      digest(`place of ${purpose}`, ...neighbourhood).slice(0, placeDigits),
    )
    return place + digest(purpose, merchant, posId, posTid).slice(placeDigits)
  }
}

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
