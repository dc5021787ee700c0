import { createPublicKey } from 'node:crypto'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import { contentDigest } from './keys.ts'

/** `SHA256=` and the digest of the key (SPKI, DER) in base64. */
export const fingerprintOf = (pem: string): string =>
  contentDigest(createPublicKey(pem).export({ type: 'spki', format: 'der' }))

const fingerprintsKept = 10_000

/** Cached fingerprints of public keys. */
export const makeFingerprints = () => {
  const known = generationalCache<string, string>(fingerprintsKept)
  return (pem: string): string => cached(known, pem, () => fingerprintOf(pem))
}
