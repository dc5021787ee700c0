import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ed25519,
  type NoteSignature,
  type PublicNoteKey,
  type SignedNote,
} from '../../domain/transparency/signed-note.ts'
import { rawKeyOf, hasSigned } from '../transparency/notes.ts'
import type { EventStore } from '../../application/event-store.ts'
import { fingerprintOf, contentDigest, makeSignatureCheck } from '../../infrastructure/keys/keys.ts'

/** The dependencies for proving who ordered an event. */
export const provingWith = (store: Pick<EventStore, 'readStream'>) => ({
  store,
  verifySignature: (pem: string, text: string, signature: string): boolean =>
    makeSignatureCheck(pem)(pem, text, signature),
  fingerprint: fingerprintOf,
  contentDigest,
})

/** The 32 bytes of an Ed25519 key. */
type KeyBytes = Uint8Array

/** Public keys of the key files in a data directory; none in a copy without them. */
export const ownKeysIn = (directory: string): readonly KeyBytes[] =>
  (existsSync(directory) ? readdirSync(directory) : [])
    .filter((name) => /^checkpoint-ed25519.*\.pem$/.test(name))
    .flatMap((name) => {
      try {
        return [rawKeyOf(createPrivateKey(readFileSync(join(directory, name))))]
      } catch {
        return []
      }
    })

const idOf = ({ bytes }: NoteSignature): string => Buffer.from(bytes.subarray(0, 4)).toString('hex')

/**
 * The keys that may sign a log's checkpoints: those in its directory, those registered in the log,
 * and those passed in.
 */
export const knownKeys = (own: readonly KeyBytes[], given: readonly PublicNoteKey[]) => {
  const bytes = [...own, ...given.map(({ key }) => key)]
  let isSeen = given.length === 0

  const signer = (text: string, signature: NoteSignature): KeyBytes | undefined => {
    const { name } = signature
    const signing = bytes.find((key) => hasSigned({ name, kind: ed25519, key }, text, signature))
    isSeen ||= signing !== undefined && given.some((key) => hasSigned(key, text, signature))
    return signing
  }

  return {
    register: (publicKey: string): void => void bytes.push(Buffer.from(publicKey, 'base64')),
    /** Why no known key has signed the note; undefined if one has. */
    problemOf: ({ text, signatures }: SignedNote): string | undefined => {
      const [origin = ''] = text.split('\n')
      const own = signatures.filter(({ name }) => name === origin)
      if (own.some((signature) => signer(text, signature))) return undefined
      return own.length === 0
        ? `nobody has signed it as ${origin}`
        : `no key that is known here has signed it (${own.map(idOf).join(', ')}): see --key`
    },
    hasAny: (): boolean => bytes.length > 0,
    /** Whether one of the passed keys signed anything; true if none was passed. */
    isSeen: (): boolean => isSeen,
  }
}

export type KnownKeys = ReturnType<typeof knownKeys>
