import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { signingKeys } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { keyInFile, makeSigner } from '../keys.ts'

const idOf = (...pems: readonly string[]): string =>
  createHash('sha256').update(pems.join('')).digest('hex').slice(0, 16)

/** Signs with the keys of callbacks that lie in the data directory; they are made, and made known, when there are none. */
export const signerIn = async (core: Core, dataDir: string, machineNow: () => Instant) => {
  const key = (type: 'rsa' | 'ed25519') => keyInFile(join(dataDir, `callback-${type}.pem`), type)
  const signer = makeSigner(await key('rsa'), await key('ed25519'))
  const { rsaPem: rsa, ed25519Pem: ed25519 } = signer
  const before = await core.find(signingKeys, idOf(rsa))
  // The RSA key names a pair; one of which the other key was replaced is another pair.
  const isReplaced = before.status === 'present' && before.data.ed25519 !== ed25519
  const id = isReplaced ? idOf(rsa, ed25519) : idOf(rsa)
  const known = await core.find(signingKeys, id)
  if (known.status === 'absent') {
    // What is signed carries the time of the machine, which the clock of the sandbox does not move (interface 3).
    const data = { id, rsa, ed25519, validFrom: machineNow() }
    const context = core.contextOf('daybook')
    // Another process on the same files may register the same key at the same time, valid from a moment later.
    await core.handle(signingKeys, id, { type: 'Register', data }, context).catch(ignoreRefusal)
  }
  return signer
}
