import { hash, verify } from '@node-rs/argon2'
import { generateKeyPair, sign, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

export type KeyType = 'rsa' | 'ed25519'

const makePair = promisify(generateKeyPair)

/** Cryptography that takes long or draws randomness of its own, on the thread pool. */
const onPool = {
  makePrivateKey: async (type: KeyType): Promise<KeyObject> =>
    type === 'rsa'
      ? (await makePair('rsa', { modulusLength: 2048 })).privateKey
      : (await makePair('ed25519')).privateKey,
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  signRsa: promisify(
    (text: Uint8Array, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) =>
      sign('sha256', text, key, done),
  ),
  /** Argon2id with OWASP's minimum parameters. */
  hashSlowly: (secret: string): Promise<string> => hash(secret),
  verifySlowly: (slowHash: string, secret: string): Promise<boolean> => verify(slowHash, secret),
}

export type SlowCrypto = typeof onPool

let used = onPool

/** For the simulator; returns a function that brings back the real one. */
export const installSlowCrypto = (other: SlowCrypto): (() => void) => {
  used = other
  return () => (used = onPool)
}

export const makePrivateKey: SlowCrypto['makePrivateKey'] = (type) => used.makePrivateKey(type)
export const signRsaSlowly: SlowCrypto['signRsa'] = (text, key) => used.signRsa(text, key)
export const hashSlowly: SlowCrypto['hashSlowly'] = (secret) => used.hashSlowly(secret)
export const verifySlowly: SlowCrypto['verifySlowly'] = (slowHash, secret) =>
  used.verifySlowly(slowHash, secret)
