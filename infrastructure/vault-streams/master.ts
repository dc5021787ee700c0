import { createHmac, randomBytes } from 'node:crypto'
import { noStream, WrongExpectedRevision, type Revision } from '../../application/event-store.ts'
import { wrap, type VaultKey } from '../people/vault-keys.ts'
import { aboutMaster, unlockMaster, VaultLocked } from '../people/vault-wrapping.ts'
import { masterStream, vaultEvent, type Streams } from './names.ts'

type Kept = { readonly revision: Revision; readonly keyId: string; readonly master: Buffer }

const read = async (streams: Streams): Promise<Kept | undefined> => {
  const newest = (await streams.readStream(masterStream)).at(-1)
  if (!newest) return undefined
  const { keyId, master } = newest.data as { readonly keyId: string; readonly master: string }
  return { revision: newest.revision, keyId, master: Buffer.from(master, 'base64') }
}

const write = async (
  streams: Streams,
  { id, key }: VaultKey,
  master: Buffer,
  expected: Revision,
): Promise<void> => {
  const wrapped = wrap(key, master, aboutMaster).toString('base64')
  await streams.append(
    masterStream,
    [vaultEvent('MasterWrapped', { keyId: id, master: wrapped })],
    expected,
  )
}

/** Where two nodes begin at once, the first one's master key stays. */
const begin = async (streams: Streams, key: VaultKey): Promise<void> => {
  // A master key that was wrapped by an earlier key is to be forgotten.
  await streams.keepNewest(masterStream, 1)
  try {
    await write(streams, key, randomBytes(32), noStream)
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error
  }
}

/** Whether the database holds a vault. */
export const isVaultThere = async (streams: Pick<Streams, 'readStream'>): Promise<boolean> =>
  (await streams.readStream(masterStream)).length > 0

/** The master key of the vault, which is made where there is none. @throws VaultLocked */
export const openMaster = async (streams: Streams, keys: readonly VaultKey[]) => {
  const [first] = keys
  if (!first) throw new VaultLocked('a vault in streams needs VAULT_KEY_FILE or VAULT_KEY_COMMAND')
  if (!(await isVaultThere(streams))) await begin(streams, first)
  const kept = await read(streams)
  if (!kept) throw new VaultLocked(`${masterStream} holds no master key`)
  const master = unlockMaster(kept, keys)
  const derive = (purpose: string): Buffer => createHmac('sha256', master).update(purpose).digest()
  return {
    keyId: kept.keyId,
    /** Wraps people's keys and what is kept under a name. */
    wrapping: derive('wrapping'),
    derive,
    /** @returns the id of the key before. */
    rewrap: async (target: VaultKey): Promise<string> => {
      const now = await read(streams)
      if (!now || now.keyId === target.id) return target.id
      await write(streams, target, master, now.revision)
      return now.keyId
    },
  }
}

export type Master = Awaited<ReturnType<typeof openMaster>>
