import { hash, createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sha256 } from '../../domain/transparency/merkle-tree.ts'
import { counted, generationalCache, cached } from '../../application/generational-cache.ts'
import { makeFolder } from '../open-files.ts'
import { aside, randomUUID } from '../../application/machine.ts'
import { makePrivateKey, readPrivateKey, signRsaSlowly, type KeyType } from './slow-crypto.ts'

export const sha256: Sha256 = (...parts) =>
  hash('sha256', parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), 'buffer')

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

/** `ssh-rsa AAAA…` (RFC 4253, 6.6): length-prefixed type, exponent and modulus. */
const readOpenSsh = (text: string): KeyObject | undefined => {
  const [type, encoded] = text.trim().split(/\s+/)
  if (type !== 'ssh-rsa' || encoded === undefined) return undefined
  let rest = Buffer.from(encoded, 'base64')
  const fields: Buffer[] = []
  while (rest.length >= 4) {
    const length = rest.readUInt32BE()
    fields.push(rest.subarray(4, 4 + length))
    rest = rest.subarray(4 + length)
  }
  const [, e, n] = fields
  if (!e || !n) return undefined
  const number = (field: Buffer) =>
    field.subarray(field.findIndex((byte) => byte !== 0)).toString('base64url')
  return createPublicKey({ key: { kty: 'RSA', e: number(e), n: number(n) }, format: 'jwk' })
}

/**
 * RSA, 2048 to 4096 bits, common exponent. With an exponent of 1 anybody can sign, and a very long
 * one makes verification a hundred times slower (RFC 8017, 3.1: odd, at least 3).
 */
const isSoundRsa = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean => {
  const { modulusLength: bits = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  const hasUsualExponent =
    publicExponent >= 3n && publicExponent < 2n ** 32n && publicExponent % 2n === 1n
  return asymmetricKeyType === 'rsa' && bits >= 2048 && bits <= 4096 && hasUsualExponent
}

/** The key as PEM; undefined for anything else, including private keys. */
export const readPublicKey = (text: string): string | undefined => {
  if (text.includes('PRIVATE KEY')) return undefined
  try {
    const key = readOpenSsh(text) ?? createPublicKey(text)
    return isSoundRsa(key) ? pemOf(key) : undefined
  } catch {
    return undefined
  }
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

const importsKept = 10_000

/**
 * Verifies RSASSA-PKCS1-v1_5 with SHA-256; keys are imported once. Without a key it takes as long
 * and returns false.
 */
export const makeSignatureCheck = (keyOfNobody: string) => {
  type Imported = { readonly key: KeyObject; readonly isSound: boolean }
  const imported = counted('public_keys', generationalCache<string, Imported>(importsKept))
  const importOnce = (pem: string): Imported => {
    const known = imported.get(pem)
    if (known) return known
    const key = createPublicKey(pem)
    const fresh = { key, isSound: isSoundRsa(key) }
    imported.set(pem, fresh)
    return fresh
  }
  return (publicKey: string | null, text: string, signature: string): boolean => {
    const own = publicKey === null ? undefined : importOnce(publicKey)
    const { key } = own?.isSound ? own : importOnce(keyOfNobody)
    const isRight = verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'))
    // The decoder skips non-base64 characters.
    return isRight && own?.isSound === true && base64.test(signature)
  }
}

/** The value of the content digest header: `SHA256=<base64>`. */
export const contentDigest = (body: Uint8Array): string =>
  `SHA256=${createHash('sha256').update(body).digest('base64')}`

/** A private key of the service is missing, damaged or another one than the log knows. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey'
}

/** @throws UnusableKey unless the PEM is a private key whose halves belong together */
export const privateKeyOf = (name: string, pem: string, type: KeyType): KeyObject => {
  let read: ReturnType<typeof readPrivateKey>
  try {
    read = readPrivateKey(pem)
  } catch (error) {
    throw new UnusableKey(`${name} contains no private key: put it back from a copy`, {
      cause: error,
    })
  }
  const { key, isSound } = read
  if (key.asymmetricKeyType !== type)
    throw new UnusableKey(`${name} contains no ${type} key: put it back from a copy`)
  if (!isSound)
    throw new UnusableKey(`${name} is damaged, its signatures fail: put it back from a copy`)
  return key
}

/** Undefined if there is no such file. @throws UnusableKey */
export const readKey = async (file: string, type: KeyType): Promise<KeyObject | undefined> => {
  try {
    return privateKeyOf(file, await aside(() => readFile(file, 'utf8')), type)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

export const makeKey = (type: KeyType): Promise<KeyObject> => makePrivateKey(type)

/** Creates the file; false if another process was first. */
export const keepKey = async (file: string, key: KeyObject): Promise<boolean> => {
  makeFolder(dirname(file))
  const draft = `${file}.${randomUUID()}`
  const pem = key.export({ type: 'pkcs8', format: 'pem' })
  await aside(() => writeFile(draft, pem, { mode: 0o600, flush: true }))
  try {
    await aside(() => link(draft, file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await aside(() => unlink(draft))
  }
}

/**
 * Reads a private key, or creates the file, once even if several processes start at the same time.
 */
export const keyInFile = async (file: string, type: KeyType): Promise<KeyObject> => {
  for (;;) {
    const found = await readKey(file, type)
    if (found) return found
    const made = await makeKey(type)
    if (await keepKey(file, made)) return made
  }
}

export type PrivateKeys = { readonly rsa: KeyObject; readonly ed25519: KeyObject }

export type SignRsa = (key: KeyObject, text: string) => Promise<string> | string

/** On the thread pool, because it takes half a millisecond and others wait for this thread. */
export const signRsaOnPool: SignRsa = async (key, text) =>
  (await signRsaSlowly(Buffer.from(text), key)).toString('base64')

export const signRsaInline: SignRsa = (key, text) =>
  sign('sha256', Buffer.from(text), key).toString('base64')

export const signEd25519 = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64')

/** The callback signing keys: RSA (the interface) and Ed25519 (Standard Webhooks). */
export const makeSigner = (rsa: KeyObject, ed25519: KeyObject) => ({
  rsaPem: pemOf(createPublicKey(rsa)),
  ed25519Pem: pemOf(createPublicKey(ed25519)),
  keys: { rsa, ed25519 } satisfies PrivateKeys,
})

export type Signer = ReturnType<typeof makeSigner>

/** The published form of a pair of keys. */
export const publishedKey = (entry: {
  readonly id: string
  readonly rsa: string
  readonly ed25519: string
  readonly validFrom: number
}) => {
  const ed25519Jwk = createPublicKey(entry.ed25519).export({ format: 'jwk' })
  const raw = ed25519Jwk.x ?? ''
  return {
    id: entry.id,
    validFrom: entry.validFrom,
    rsaPem: entry.rsa,
    rsaJwk: { ...createPublicKey(entry.rsa).export({ format: 'jwk' }), alg: 'RS256', use: 'sig' },
    ed25519Pem: entry.ed25519,
    ed25519Jwk: { ...ed25519Jwk, alg: 'EdDSA', use: 'sig' },
    webhookKey: `whpk_${Buffer.from(raw, 'base64url').toString('base64')}`,
  }
}

/** `SHA256=` and the digest of the key (SPKI, DER) in base64. */
export const fingerprintOf = (pem: string): string =>
  contentDigest(createPublicKey(pem).export({ type: 'spki', format: 'der' }))

const fingerprintsKept = 10_000

export const makeFingerprints = () => {
  const known = generationalCache<string, string>(fingerprintsKept)
  return (pem: string): string => cached(known, pem, () => fingerprintOf(pem))
}
