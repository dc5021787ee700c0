import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import { ed25519, formatKey, formatNote, keyIdOf } from '../../domain/transparency/signed-note.ts'
import { sha256 } from '../sha256.ts'

/** The last 32 bytes of the SPKI form are the key itself (RFC 8410, 4). */
const rawKeyOf = (key: KeyObject): Uint8Array =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)

/** Signs notes (c2sp.org/signed-note) with an Ed25519 key under a name. */
export const noteSigner = (privateKey: KeyObject, name: () => string) => {
  const named = () => ({ name: name(), kind: ed25519, key: rawKeyOf(privateKey) }) as const
  return {
    /** As verifiers take it: `<name>+<key id>+<key>`. */
    verifierKey: (): string => formatKey(sha256, named()),
    sign: (text: string): string => {
      const id = keyIdOf(sha256, named())
      const signature = sign(null, Buffer.from(text), privateKey)
      return formatNote({
        text,
        signatures: [{ name: name(), bytes: Buffer.concat([id, signature]) }],
      })
    },
  }
}
