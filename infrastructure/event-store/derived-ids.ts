import { createHmac } from 'node:crypto'
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
