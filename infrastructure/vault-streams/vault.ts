import { StoreUnavailable, type Outage, type Revision } from '../../application/event-store.ts'
import { reportingTo } from '../logs/outages.ts'
import { type VaultKey, readVaultKeys } from '../people/vault-wrapping.ts'
import {
  derivedSecret,
  digestOf,
  seedName,
  vaultNameOf,
  type Vault,
  checkNotMoved,
  refuseMoved,
} from '../people/vault-port.ts'
import { followJournal, journalEvents, journalStream, type Streams } from './journal.ts'
import { keyPages, type KeyPages, openMaster, type Master, isVaultThere } from './key-pages.ts'
import { knownFileIn, hasKnownFile, knownPeople, type KnownPeople } from './known-people.ts'
import { addPeople } from './new-people.ts'
import { existsSync } from 'node:fs'
import { openVault } from '../people/vault.ts'
import type { Settings } from '../settings.ts'
import { isVaultInStreams, openStoreToRead, vaultIn } from '../stores.ts'

/**
 * `folder`: where the node keeps what it has read; without it, the node starts from the beginning.
 */
export type Memory = { readonly folder?: string | undefined; readonly remembered?: number }

/** Where outages of the database are reported. */
type Uses = { readonly reading: Outage; readonly writing: Outage }

const nobody: Outage = { worked: () => {}, failed: () => {} }

/** Where to continue in the journal: from its beginning if it is another one by now. */
const unread = async (
  streams: Streams,
  { mark, beginAnew }: KnownPeople,
  since: Revision,
): Promise<Revision> => {
  const known = mark()
  if (!known) return since
  const [event] = await streams.readStream(journalStream, known.revision, 1)
  if (event?.id === known.event) return known.revision + 1
  beginAnew(known.event)
  return since
}

/** Opens the journal, and completes interrupted erasures. */
const openJournal = async (streams: Streams, master: Master, { folder, remembered }: Memory) => {
  const { since } = master
  const pages = keyPages(streams)
  const file = folder && knownFileIn(folder, master.derive(`what is known since ${since}`))
  const known = knownPeople(pages, master, file, remembered)
  try {
    const first = await unread(streams, known, since)
    const journal = followJournal(streams, journalStream, known.apply, first)
    await journal.caughtUp()
    await forgetLeaving(pages, known)
    return { pages, known, journal }
  } catch (error) {
    known.close()
    throw error
  }
}

/** Wraps the journal for a node that uses the vault: fails if the vault was moved meanwhile. */
const unlessMoved = (
  { append, caughtUp, ...rest }: ReturnType<typeof followJournal>,
  { standing }: KnownPeople,
): ReturnType<typeof followJournal> => ({
  ...rest,
  caughtUp: () => caughtUp().then(() => checkNotMoved(standing())),
  append: (decide) =>
    append(() => {
      checkNotMoved(standing())
      return decide()
    }),
})

/** Resolves once the keys of erased people, of one or all, are in no page. */
export const forgetLeaving = async (
  pages: KeyPages,
  { leaving, left }: KnownPeople,
  person?: string,
): Promise<void> => {
  for (const { id, page } of leaving(person)) {
    await pages.forget(page, id)
    left(id, page)
  }
}

/** Opens the streams of a vault. @throws VaultLocked */
export const openParts = async (
  streams: Streams,
  keys: readonly VaultKey[],
  memory: Memory = {},
) => {
  const master = await openMaster(streams, keys)
  const opened = await openJournal(streams, master, memory)
  const { known } = opened
  const seed = (): Buffer => known.secret(seedName) ?? master.derive(seedName)
  return {
    ...opened,
    master,
    seed,
    events: journalEvents(master.wrapping),
    /** Derived, unless one was stored under that name. */
    secret: (name: string): Buffer => known.secret(name) ?? derivedSecret(seed(), name),
  }
}

export const vaultInStreamsLabel = 'the vault in streams'

/**
 * The vault in streams of EventStoreDB, which nodes share without a file. Each node keeps what it
 * has read in a local file, and reads what is new when it waits for `caughtUp`. Keys are in pages,
 * which can be erased; everything else is in one journal, sealed with the keys. One stream per
 * person would not do: it would be named after their identifier, and stream names outlive an
 * erasure.
 * Long because it is the list of all that a vault does.
 */
export const openVaultInStreams = async (
  streams: Streams,
  keys: readonly VaultKey[],
  { reading, writing }: Uses = { reading: nobody, writing: nobody },
  memory: Memory = {},
): Promise<Vault> => {
  const { master, pages, known, events, secret, ...opened } = await openParts(streams, keys, memory)
  try {
    refuseMoved(known.standing(), vaultInStreamsLabel)
  } catch (error) {
    known.close()
    throw error
  }
  const journal = unlessMoved(opened.journal, known)
  const identifiers = secret('identifiers')
  const digest = (text: string): string => digestOf(identifiers, text).toString('base64')
  const nameBy = (merchant: string, identifier: string) => digest(`${identifier}\n${merchant}`)
  const newPeople = addPeople({ journal, pages, known, events })
  const caughtUp = (): Promise<void> => reportingTo(reading, journal.caughtUp())
  const change = async (...decide: Parameters<typeof journal.append>): Promise<void> => {
    // A person not known here yet would be missed.
    await caughtUp()
    await reportingTo(writing, journal.append(...decide))
  }
  const underWay = new Set<Promise<unknown>>()
  /** Closing waits for it. */
  const awaited = <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const leave = (): void => void underWay.delete(answer)
    underWay.add(answer)
    answer.then(leave, leave)
    return answer
  }
  const add = (name: Parameters<typeof newPeople.add>[0]): Promise<string> =>
    reportingTo(writing, newPeople.add(name))
  const personFor = async (identifier: string, requestedId?: string): Promise<string> => {
    await caughtUp()
    const person = { identifier: digest(identifier), requestedId }
    return known.idOf(person.identifier) ?? add(person)
  }
  const findPerson = (identifier: string) => known.idOf(digest(identifier))

  return {
    name: vaultNameOf(identifiers),
    caughtUp,
    // Log and vault are in one database, and are backed up together.
    mark: () => undefined,
    hasMark: () => true,
    wrappedBy: known.wrappedBy,
    rewrap: async (target: VaultKey) => {
      const before = await master.rewrap(target)
      if (before !== target.id) await change(() => [events.wrapped(target.id)])
      return { wrapped_by: target.id, before, wrapped: 0 }
    },
    secret,
    addSecret: (name: string, value: Buffer) =>
      change(() => (known.secret(name) ? [] : [events.secretKept(name, value)])),
    secrets: (prefix: string) => known.secrets().filter(({ name }) => name.startsWith(prefix)),
    findPerson,
    personFor: (...about) => awaited(personFor(...about)),
    findNamed: (merchant: string, identifier: string) => known.named(nameBy(merchant, identifier)),
    findNamedAmong: (merchant: string, identifiers: readonly string[]) =>
      identifiers.flatMap((one) => known.named(nameBy(merchant, one)) ?? []),
    nameFor: (merchant: string, identifier: string): Promise<string> => {
      const name = nameBy(merchant, identifier)
      return awaited(add({ identifier: digest(identifier), name }))
    },
    hasPerson: (person: string): boolean => known.keyOf(person) !== undefined,
    rename: (person: string, identifier: string) => {
      const hidden = digest(identifier)
      return change(() => {
        const [key, holder] = [known.keyOf(person), known.idOf(hidden)]
        if (holder !== undefined && holder !== person)
          throw new StoreUnavailable('somebody else has just taken this identifier')
        return key ? [events.renamed(person, key, hidden)] : []
      })
    },
    release: (person: string) =>
      change(() => (known.keyOf(person) ? [events.released(person)] : [])),
    seal: known.seal,
    unseal: known.unseal,
    shred: async (person: string): Promise<void> => {
      await change(() => (known.keyOf(person) ? [events.erased(person)] : []))
      await reportingTo(writing, forgetLeaving(pages, known, person))
    },
    close: async (): Promise<void> => {
      await Promise.allSettled(underWay)
      await journal.idle()
      known.close()
    },
  }
}

type Work<Answer> = (vault: Vault | undefined) => Promise<Answer>

const withStreams = async <Answer>(settings: Settings, work: Work<Answer>): Promise<Answer> => {
  const { streams, close } = await openStoreToRead(settings)
  try {
    if (!streams || !(await isVaultThere(streams))) return await work(undefined)
    const { DATA_DIR: folder } = settings
    // A command that only reads leaves no files in the log's directory, which may belong to another
    // user.
    const memory = hasKnownFile(folder) ? { folder } : {}
    const vault = await openVaultInStreams(streams, readVaultKeys(settings), undefined, memory)
    try {
      return await work(vault)
    } finally {
      await vault.close()
    }
  } finally {
    await close()
  }
}

/** Provides a command with the vault beside the log, if there is one; a copy may come without. */
export const withVaultBeside = async <Answer>(
  settings: Settings,
  work: Work<Answer>,
): Promise<Answer> => {
  if (isVaultInStreams(settings)) return withStreams(settings, work)
  const file = vaultIn(settings)
  if (!existsSync(file)) return work(undefined)
  const vault = openVault(file, undefined, readVaultKeys(settings))
  try {
    return await work(vault)
  } finally {
    await vault.close()
  }
}
