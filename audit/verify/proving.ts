import type { EventStore } from '../../application/event-store.ts'
import { fingerprintOf } from '../../infrastructure/keys/key-fingerprints.ts'
import { contentDigest, makeSignatureCheck } from '../../infrastructure/keys/keys.ts'

/** The dependencies for proving who ordered an event. */
export const provingWith = (store: Pick<EventStore, 'readStream'>) => ({
  store,
  verifySignature: (pem: string, text: string, signature: string): boolean =>
    makeSignatureCheck(pem)(pem, text, signature),
  fingerprint: fingerprintOf,
  contentDigest,
})
