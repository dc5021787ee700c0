import * as argon2 from '@node-rs/argon2'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'

export type KeyType = 'rsa' | 'ed25519'

const makePair = promisify(generateKeyPair)

const probe = Buffer.from('a key signs, and its public half verifies')

/** The parts of an RSA key belong together (RFC 8017, 3.2), also those that are not used now. */
const isConsistent = (key: KeyObject): boolean => {
  if (key.asymmetricKeyType !== 'rsa') return true
  const parts = key.export({ format: 'jwk' })
  const [n, e, d, p, q, dp, dq, qi] = (['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const).map(
    (name) => BigInt(`0x0${Buffer.from(parts[name] ?? '', 'base64url').toString('hex')}`),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint]
  return (
    p * q === n &&
    [p, q].every((prime) => (d * e) % (prime - 1n) === 1n) &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    (qi * q) % p === 1n
  )
}

/** A changed bit may leave a key that can be read, but signs what nobody verifies. */
const signsAndVerifies = (key: KeyObject): boolean => {
  const algorithm = key.asymmetricKeyType === 'rsa' ? 'sha256' : null
  try {
    const verifies = verify(algorithm, probe, createPublicKey(key), sign(algorithm, probe, key))
    return verifies && isConsistent(key)
  } catch {
    return false
  }
}

/** A key, and whether its halves belong together. @throws Error unless it is a private key */
export const readAndTry = (pem: string) => {
  const key = createPrivateKey(pem)
  return { key, isSound: signsAndVerifies(key) }
}

/** Cryptography that takes long or draws randomness of its own, on the thread pool. */
const onPool = {
  makePrivateKey: async (type: KeyType): Promise<KeyObject> =>
    type === 'rsa'
      ? (await makePair('rsa', { modulusLength: 2048 })).privateKey
      : (await makePair('ed25519')).privateKey,
  readPrivateKey: readAndTry,
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  signRsa: promisify(
    (text: Uint8Array, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) =>
      sign('sha256', text, key, done),
  ),
  /** Argon2id with OWASP's minimum parameters. */
  hashSlowly: (secret: string): Promise<string> => argon2.hash(secret),
  verifySlowly: (slowHash: string, secret: string): Promise<boolean> =>
    argon2.verify(slowHash, secret),
}

export type SlowCrypto = typeof onPool

let used = onPool
let hashesOfPublic = new Map<string, Promise<string>>()

const use = (crypto: SlowCrypto): void => {
  used = crypto
  hashesOfPublic = new Map()
}

/** For the simulator; returns a function that brings back the real one. */
export const installSlowCrypto = (other: SlowCrypto): (() => void) => {
  use(other)
  return () => use(onPool)
}

/** The slow hash of a secret that is public, made once in a process. */
export const hashOfPublic = (text: string): Promise<string> => {
  const hash = hashesOfPublic.get(text) ?? hashSlowly(text)
  hashesOfPublic.set(text, hash)
  return hash
}

export const makePrivateKey: SlowCrypto['makePrivateKey'] = (type) => used.makePrivateKey(type)
export const signRsaSlowly: SlowCrypto['signRsa'] = (text, key) => used.signRsa(text, key)
export const hashSlowly: SlowCrypto['hashSlowly'] = (secret) => used.hashSlowly(secret)
export const verifySlowly: SlowCrypto['verifySlowly'] = (slowHash, secret) =>
  used.verifySlowly(slowHash, secret)
export const readPrivateKey: SlowCrypto['readPrivateKey'] = (pem) => used.readPrivateKey(pem)
