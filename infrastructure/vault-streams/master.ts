import { createHmac } from 'node:crypto'
import { noStream, WrongExpectedRevision, type Revision } from '../../application/event-store.ts'
import { wrap, type VaultKey } from '../people/vault-keys.ts'
import { aboutMaster, unlockMaster, VaultLocked } from '../people/vault-wrapping.ts'
import { masterStream, vaultEvent, type Streams } from './names.ts'
import { randomBytes } from '../../application/machine.ts'

/** This vault's events start at `since` in the journal. */
type Kept = {
  readonly revision: Revision
  readonly keyId: string
  readonly master: Buffer
  readonly since: Revision
}

type Stored = { readonly keyId: string; readonly master?: string; readonly since?: Revision }

const newestIn = async (streams: Pick<Streams, 'readStream'>) => {
  const newest = (await streams.readStream(masterStream)).at(-1)
  return newest && { ...(newest.data as Stored), revision: newest.revision }
}

const read = async (streams: Pick<Streams, 'readStream'>): Promise<Kept | undefined> => {
  const { keyId, master, since = 0, revision } = (await newestIn(streams)) ?? {}
  if (keyId === undefined || master === undefined || revision === undefined) return undefined
  return { revision, keyId, master: Buffer.from(master, 'base64'), since }
}

const write = async (
  streams: Streams,
  { id, key }: VaultKey,
  { master, since, revision }: Omit<Kept, 'keyId'>,
): Promise<void> => {
  const wrapped = wrap(key, master, aboutMaster).toString('base64')
  const data = { keyId: id, master: wrapped, since }
  await streams.append(masterStream, [vaultEvent('MasterWrapped', data)], revision)
}

/** If two nodes start at once, the first one's master key is kept. */
const begin = async (streams: Streams, key: VaultKey): Promise<void> => {
  // A master key wrapped with an earlier key must be dropped.
  await streams.keepNewest(masterStream, 1)
  const { revision = noStream, since = 0 } = (await newestIn(streams)) ?? {}
  try {
    await write(streams, key, { master: randomBytes(32), since, revision })
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error
  }
}

/** Whether the database contains a vault. */
export const isVaultThere = async (streams: Pick<Streams, 'readStream'>): Promise<boolean> =>
  (await read(streams)) !== undefined

/** The master key of the vault, created if there is none. @throws VaultLocked */
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
    since: kept.since,
    /** Wraps people's keys and named values. */
    wrapping: derive('wrapping'),
    derive,
    /** @returns the id of the previous key */
    rewrap: async (target: VaultKey): Promise<string> => {
      const now = await read(streams)
      if (!now || now.keyId === target.id) return target.id
      await write(streams, target, { ...now, master })
      return now.keyId
    },
    /** Makes the vault unreadable; a vault created later starts a new journal. */
    forget: async (since: Revision): Promise<void> => {
      const { revision = noStream } = (await newestIn(streams)) ?? {}
      await streams.append(masterStream, [vaultEvent('MasterForgotten', { since })], revision)
    },
  }
}

export type Master = Awaited<ReturnType<typeof openMaster>>
