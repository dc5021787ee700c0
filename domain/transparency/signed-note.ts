/** Signed notes (c2sp.org/signed-note). */
export type NoteSignature = {
  readonly name: string
  /** Four bytes of key id, then the signature. */
  readonly bytes: Uint8Array
}

export type SignedNote = {
  /** Ends in a line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const utf8 = new TextEncoder()

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The bytes of canonical base64; undefined for anything else. */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export const signatureLine = ({ name, bytes }: NoteSignature): string =>
  `— ${name} ${base64(bytes)}\n`

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`

/** Undefined if the line is not a signature. */
export const signatureOf = (line: string): NoteSignature | undefined => {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? []
  const bytes = bytesOfBase64(encoded)
  return name !== '' && bytes !== undefined && bytes.length > 4 ? { name, bytes } : undefined
}

/** No control characters but line feeds. */
const isPlain = (text: string): boolean => !/[\x00-\x09\x0b-\x1f\x7f]/.test(text)

/** Undefined if it is not a signed note. Signatures are not verified. */
export const parseNote = (note: string): SignedNote | undefined => {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n') || !isPlain(note)) return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  const signatures = lines.flatMap((line) => signatureOf(line) ?? [])
  if (signatures.length !== lines.length) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

/** The signature types of this log, as their numbers in key ids. */
export const ed25519 = 0x01
export const cosignatureV1 = 0x04

export type PublicNoteKey = {
  readonly name: string
  readonly kind: typeof ed25519 | typeof cosignatureV1
  /** The 32 bytes of an Ed25519 key. */
  readonly key: Uint8Array
}

/** Four bytes that identify the signing key. */
export const keyIdOf = (
  sha256: (...parts: readonly Uint8Array[]) => Uint8Array,
  { name, kind, key }: PublicNoteKey,
): Uint8Array => sha256(utf8.encode(`${name}\n`), Uint8Array.of(kind), key).subarray(0, 4)

/** A public key as `<name>+<key id in hexadecimal>+<base64 of kind and key>`. */
export const formatKey = (
  sha256: (...parts: readonly Uint8Array[]) => Uint8Array,
  key: PublicNoteKey,
): string => {
  const id = Buffer.from(keyIdOf(sha256, key)).toString('hex')
  return `${key.name}+${id}+${base64(Uint8Array.of(key.kind, ...key.key))}`
}

/** Undefined if it is not a key of these types, or its key id does not match. */
export const parseKey = (
  sha256: (...parts: readonly Uint8Array[]) => Uint8Array,
  text: string,
): PublicNoteKey | undefined => {
  const [, name = '', encoded = ''] =
    /^([^\s+]+)\+[\da-f]{8}\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? []
  const [kind, ...key] = bytesOfBase64(encoded) ?? []
  if (key.length !== 32 || (kind !== ed25519 && kind !== cosignatureV1)) return undefined
  const parsed = { name, kind, key: Uint8Array.from(key) } as const
  return formatKey(sha256, parsed) === text ? parsed : undefined
}

/**
 * The signed text and the bare signature. A witness also signs the time
 * (c2sp.org/tlog-cosignature). Undefined if the signature has another length.
 */
export const signedBy = (
  kind: PublicNoteKey['kind'],
  text: string,
  { bytes }: NoteSignature,
): { readonly message: string; readonly signature: Uint8Array } | undefined => {
  const ofKey = bytes.subarray(4)
  if (kind === ed25519) return ofKey.length === 64 ? { message: text, signature: ofKey } : undefined
  if (ofKey.length !== 72) return undefined
  const time = Buffer.from(ofKey.subarray(0, 8)).readBigUInt64BE()
  return { message: `cosignature/v1\ntime ${time}\n${text}`, signature: ofKey.subarray(8) }
}
