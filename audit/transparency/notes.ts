import { createPublicKey, sign, type KeyObject, verify } from 'node:crypto'
import {
  ed25519,
  formatNote,
  keyIdOf,
  signedBy,
  type NoteSignature,
  type PublicNoteKey,
} from '../../domain/transparency/signed-note.ts'
import { sha256 } from '../../infrastructure/keys/sha256.ts'

export const hasSigned = (key: PublicNoteKey, text: string, signature: NoteSignature): boolean => {
  const isNamed = signature.name === key.name
  const isOfKey = keyIdOf(sha256, key).every((byte, at) => signature.bytes[at] === byte)
  const signed = signedBy(key.kind, text, signature)
  if (!isNamed || !isOfKey || !signed) return false
  const x = Buffer.from(key.key).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(signed.message), publicKey, signed.signature)
}

/** The last 32 bytes of the SPKI form are the key itself (RFC 8410, 4). */
export const rawKeyOf = (key: KeyObject): Uint8Array =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)

/** Signs a note under a name with each of these Ed25519 keys (c2sp.org/signed-note). */
export const signNote = (text: string, name: string, privateKeys: readonly KeyObject[]): string => {
  const signatures = privateKeys.map((privateKey) => {
    const id = keyIdOf(sha256, { name, kind: ed25519, key: rawKeyOf(privateKey) })
    return { name, bytes: Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]) }
  })
  return formatNote({ text, signatures })
}
