import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { signingKeys } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { keyInFile, makeSigner, type Signer } from '../keys.ts'

const idOf = (...pems: readonly string[]): string =>
  createHash('sha256').update(pems.join('')).digest('hex').slice(0, 16)

/** The keys of callbacks in the data directory, made when there are none. */
export const callbackKeysIn = async (dataDir: string): Promise<Signer> => {
  const key = (type: 'rsa' | 'ed25519') => keyInFile(join(dataDir, `callback-${type}.pem`), type)
  return makeSigner(await key('rsa'), await key('ed25519'))
}

/** Signs callbacks with these keys, whose public parts are registered when they are new. */
export const signerIn = async (
  core: Core,
  dataDir: string,
  machineNow: () => Instant,
  keys = callbackKeysIn(dataDir),
) => {
  const signer = await keys
  const { rsaPem: rsa, ed25519Pem: ed25519 } = signer
  const before = await core.find(signingKeys, idOf(rsa))
  // The RSA key names a pair. With another Ed25519 key it is a new pair.
  const isReplaced = before.status === 'present' && before.data.ed25519 !== ed25519
  const id = isReplaced ? idOf(rsa, ed25519) : idOf(rsa)
  const known = await core.find(signingKeys, id)
  if (known.status === 'absent') {
    // Signatures carry the machine's time, not the sandbox clock's (interface 3).
    const data = { id, rsa, ed25519, validFrom: machineNow() }
    const context = core.contextOf('daybook')
    // Another process may be registering the same key.
    await core.handle(signingKeys, id, { type: 'Register', data }, context).catch(ignoreRefusal)
  }
  return signer
}
