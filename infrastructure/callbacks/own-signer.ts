import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { signingKeys } from '../../application/aggregates.ts'
import { unlessRefused } from '../../domain/refusal.ts'
import type { Core } from '../core.ts'
import { keyInFile, makeSigner } from '../keys.ts'

/** Signs with the keys of callbacks that lie in the data directory; they are made, and made known, when there are none. */
export const signerIn = async (core: Core, dataDir: string) => {
  const key = (type: 'rsa' | 'ed25519') => keyInFile(join(dataDir, `callback-${type}.pem`), type)
  const signer = makeSigner(await key('rsa'), await key('ed25519'))
  const id = createHash('sha256').update(signer.rsaPem).digest('hex').slice(0, 16)
  const known = await core.find(signingKeys, id)
  if (known.status === 'absent') {
    const data = { id, rsa: signer.rsaPem, ed25519: signer.ed25519Pem, validFrom: core.now() }
    const context = core.contextOf('daybook')
    // Another process on the same files may register the same key at the same time, valid from a moment later.
    await core.handle(signingKeys, id, { type: 'Register', data }, context).catch(unlessRefused)
  }
  return signer
}
