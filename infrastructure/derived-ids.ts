import { createHmac } from 'node:crypto'
import { generationalCache, cached } from '../application/generational-cache.ts'
import type { IdScheme } from '../domain/installation.ts'

type Digest = (purpose: string, ...parts: readonly string[]) => string

/** The service's id of what a POS knows under an id of its own. */
type DeriveId = (merchant: string, posId: string, posTid: string) => string

const hexDigits = 32

/** 128 bits in hexadecimal digits: every node and every rebuild makes them alike, and nobody else who lacks the key. */
export const makeDigest = (key: string): Digest => {
  const bytes = Buffer.from(key, 'base64')
  return (purpose, ...parts) =>
    createHmac('sha256', bytes)
      .update(JSON.stringify([purpose, ...parts]))
      .digest('hex')
      .slice(0, hexDigits)
}

/** By so many characters at their end the numbers of neighbours differ: a hundred of them, where these are digits. */
const endOfNumber = 2

/** What the ids of neighbours have in common: 24 bits are enough places, and leave 104 that nobody can guess. */
const placeDigits = 6

const placesRemembered = 1_000

/**
 * Derives ids for one purpose. Requests are numbered one after another, as a rule: ids that are clustered begin alike for
 * neighbours of one POS, so that they lie side by side in every index, and the next one is written where the last one was.
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
