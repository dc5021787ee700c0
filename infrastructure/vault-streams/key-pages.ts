import { noStream, WrongExpectedRevision, type Revision } from '../../application/event-store.ts'
import { pageStream, vaultEvent, type Streams, masterStream } from './journal.ts'
import { randomBytes } from '../../application/machine.ts'
import { createHmac } from 'node:crypto'
import {
  wrap,
  type VaultKey,
  aboutMaster,
  unlockMaster,
  VaultLocked,
} from '../people/vault-wrapping.ts'

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

export const read = async (streams: Pick<Streams, 'readStream'>): Promise<Kept | undefined> => {
  const { keyId, master, since = 0, revision } = (await newestIn(streams)) ?? {}
  if (keyId === undefined || master === undefined || revision === undefined) return undefined
  return { revision, keyId, master: Buffer.from(master, 'base64'), since }
}

export const write = async (
  streams: Streams,
  { id, key }: VaultKey,
  { master, since, revision }: Omit<Kept, 'keyId'>,
): Promise<void> => {
  const wrapped = wrap(key, master, aboutMaster).toString('base64')
  const data = { keyId: id, master: wrapped, since }
  await streams.append(masterStream, [vaultEvent('MasterWrapped', data)], revision)
}

/** If two nodes start at once, the first one's master key is kept. */
export const begin = async (streams: Streams, key: VaultKey): Promise<void> => {
  // A master key wrapped with an earlier key must be dropped.
  await streams.keepNewest(masterStream, 1)
  const { revision = noStream, since = 0 } = (await newestIn(streams)) ?? {}
  try {
    await write(streams, key, { master: randomBytes(32), since, revision })
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error
  }
}

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

/** Wrapped keys in base64, by person. */
type Keys = Readonly<Record<string, string>>

type Page = { readonly id: string; readonly revision: Revision; readonly keys: Keys }

/** A larger page would speed up starts, but is rewritten more often. */
const keysOfPage = 32

/** Maximum number of conflicts with other writers. */
const mostTries = 20

/** A page as stored in the database. */
const pagesIn = (streams: Streams) => {
  const write = async ({ id, keys, revision }: Page): Promise<Page> => {
    const appended = await streams.append(
      pageStream(id),
      [vaultEvent('KeysKept', { keys })],
      revision,
    )
    return { id, keys, revision: appended.revision }
  }

  const begin = async (): Promise<Page> => {
    const id = randomBytes(16).toString('hex')
    // Set the limit first, so that the database never retains an old key.
    await streams.keepNewest(pageStream(id), 1)
    return { id, keys: {}, revision: noStream }
  }

  const read = async (id: string): Promise<Page> => {
    const newest = (await streams.readStream(pageStream(id))).at(-1)
    const { keys = {} } = (newest?.data ?? {}) as { readonly keys?: Keys }
    return { id, keys, revision: newest?.revision ?? noStream }
  }

  return { write, begin, read }
}

/**
 * Keys in pages: streams of which the database retains only the newest event. To erase a key, it is
 * left out of the next event; scavenging then removes the earlier ones.
 */
export const keyPages = (streams: Streams) => {
  /** The page that this node adds to; other nodes only erase people in it. */
  let current: Page | undefined
  /** Pages with an erasure; nobody is added to them from then on. */
  const left = new Set<string>()

  const { write, begin, read } = pagesIn(streams)

  const keep = async (added: Keys): Promise<string> => {
    const page = current ?? (await begin())
    // A page with an uncertain write is not continued.
    current = undefined
    try {
      const written = await write({ ...page, keys: { ...page.keys, ...added } })
      const isFull = Object.keys(written.keys).length >= keysOfPage
      if (!isFull && !left.has(page.id)) current = written
      return page.id
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || page.revision === noStream) throw error
      return keep(added)
    }
  }

  return {
    /** Writes keys; returns their page. Do not call concurrently. */
    keep,
    /** Leaves unused keys out of later events. */
    drop: (people: ReadonlySet<string>, pageOf: (person: string) => string | undefined): void => {
      if (!current) return
      const { id } = current
      const isKept = (person: string): boolean => !people.has(person) || pageOf(person) === id
      const kept = Object.entries(current.keys).filter(([person]) => isKept(person))
      current = { ...current, keys: Object.fromEntries(kept) }
    },
    leave: (page: string): void => {
      left.add(page)
      if (current?.id === page) current = undefined
    },
    keysIn: async (page: string): Promise<Keys> => (await read(page)).keys,
    /** Resolves once the newest event of the page no longer contains the key. */
    forget: async (id: string, person: string): Promise<void> => {
      for (let tries = 1; ; tries++) {
        const page = await read(id)
        if (!(person in page.keys)) return
        const { [person]: _, ...keys } = page.keys
        try {
          return void (await write({ ...page, keys }))
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision) || tries === mostTries) throw error
        }
      }
    },
  }
}

export type KeyPages = ReturnType<typeof keyPages>
