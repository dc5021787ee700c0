import { createPublicKey, verify } from 'node:crypto'
import {
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
