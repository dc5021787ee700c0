import type { RecordedEvent, Revision } from '../../application/event-store.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import { peopleRemembered, sealingWith } from '../people/sealing.ts'
import { unwrap, aboutPerson, aboutSecret, VaultLocked } from '../people/vault-wrapping.ts'
import type { KeptPerson, KeptSecret, Standing } from '../people/vault-port.ts'
import { aboutDigest, type Data } from './journal.ts'
import type { KeyPages } from './key-pages.ts'
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDamage, noteDamage } from '../read-models/read-model-file.ts'
import Database, { inFile } from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'

/** `leaving`: keys of erased people that may still be in their pages. */
const tables = `
  CREATE TABLE IF NOT EXISTS people (
    id TEXT PRIMARY KEY,
    page TEXT NOT NULL,
    key BLOB NOT NULL,
    identifier BLOB UNIQUE
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS named (
    name BLOB PRIMARY KEY,
    person TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS named_by_person ON named (person);
  CREATE TABLE IF NOT EXISTS leaving (
    id TEXT NOT NULL,
    page TEXT NOT NULL,
    PRIMARY KEY (id, page)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS journal (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER,
    event TEXT,
    wrapped_by TEXT,
    standing TEXT NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO journal VALUES (1, NULL, NULL, NULL, 'used');`

const empty = `
  DELETE FROM people; DELETE FROM named; DELETE FROM leaving; DELETE FROM secrets;
  UPDATE journal SET revision = NULL, event = NULL, wrapped_by = NULL, standing = 'used';`

/**
 * How much of the journal the file contains; revision and event are null before its first event.
 */
type Journal = {
  readonly revision: Revision | null
  readonly event: string | null
  readonly wrapped_by: string | null
  readonly standing: Standing
}

/** `key` is wrapped. */
type Row = {
  readonly id: string
  readonly page: string
  readonly key: Buffer
  readonly identifier: Buffer | null
}

/** How long opening and writing wait for another process's lock, in ms. */
const timeoutMs = 1_000

export const open = (file: string): Database.Database => {
  const sqlite = new Database(file, { timeout: timeoutMs })
  try {
    if (file !== '') chmodSync(file, 0o600)
    // Anything lost in a power cut is in the journal.
    for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'secure_delete = ON'])
      sqlite.pragma(pragma)
    sqlite.pragma('cache_size = -8192')
    sqlite.exec(tables)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

export const remove = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-damaged']) rmSync(file + suffix, { force: true })
}

/** Replaces a damaged file, because the database has everything. */
const openOrReplace = (file: string): Database.Database => {
  if (file !== '' && existsSync(`${file}-damaged`)) remove(file)
  try {
    return inFile(file, () => open(file))
  } catch (error) {
    if (!isDamage(error)) throw error
    remove(file)
    return open(file)
  }
}

export const known = /^(vault-known-[\da-f]{16}\.sqlite)(?:-(?:wal|shm|damaged))?$/

export const hasKnownFile = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((file) => known.test(file))

/** The file for a vault; a directory has only one. */
export const knownFileIn = (folder: string, vault: Buffer): string => {
  const name = `vault-known-${vault.toString('hex').slice(0, 16)}.sqlite`
  for (const file of readdirSync(folder))
    if ((known.exec(file)?.[1] ?? name) !== name) rmSync(join(folder, file), { force: true })
  return join(folder, name)
}

const prepared = (sqlite: Database.Database) => ({
  journal: sqlite.prepare<[], Journal>('SELECT * FROM journal'),
  advance: sqlite.prepare<[Revision, string]>('UPDATE journal SET revision = ?, event = ?'),
  wrapBy: sqlite.prepare<[string]>('UPDATE journal SET wrapped_by = ?'),
  stand: sqlite.prepare<[Standing]>('UPDATE journal SET standing = ?'),
  person: sqlite.prepare<[string], Row>('SELECT * FROM people WHERE id = ?'),
  after: sqlite
    .prepare<[string, number], string>('SELECT id FROM people WHERE id > ? ORDER BY id LIMIT ?')
    .pluck(),
  count: sqlite.prepare<[], number>('SELECT count(*) FROM people').pluck(),
  add: sqlite.prepare<[string, string, Buffer]>(
    'INSERT OR REPLACE INTO people VALUES (?, ?, ?, NULL)',
  ),
  remove: sqlite.prepare<[string]>('DELETE FROM people WHERE id = ?'),
  idOf: sqlite.prepare<[Buffer], string>('SELECT id FROM people WHERE identifier = ?').pluck(),
  call: sqlite.prepare<[Buffer | null, string]>('UPDATE people SET identifier = ? WHERE id = ?'),
  takeFrom: sqlite.prepare<[Buffer]>('UPDATE people SET identifier = NULL WHERE identifier = ?'),
  named: sqlite.prepare<[Buffer], string>('SELECT person FROM named WHERE name = ?').pluck(),
  namesOf: sqlite.prepare<[string], Buffer>('SELECT name FROM named WHERE person = ?').pluck(),
  name: sqlite.prepare<[Buffer, string]>('INSERT OR REPLACE INTO named VALUES (?, ?)'),
  unname: sqlite.prepare<[string]>('DELETE FROM named WHERE person = ?'),
  leave: sqlite.prepare<[string, string]>('INSERT OR IGNORE INTO leaving VALUES (?, ?)'),
  leaving: sqlite.prepare<[], { readonly id: string; readonly page: string }>(
    'SELECT * FROM leaving',
  ),
  pagesOf: sqlite.prepare<[string], string>('SELECT page FROM leaving WHERE id = ?').pluck(),
  left: sqlite.prepare<[string, string]>('DELETE FROM leaving WHERE id = ? AND page = ?'),
  secret: sqlite.prepare<[string], Buffer>('SELECT secret FROM secrets WHERE name = ?').pluck(),
  secrets: sqlite.prepare<[], { readonly name: string; readonly secret: Buffer }>(
    'SELECT * FROM secrets ORDER BY name',
  ),
  keepSecret: sqlite.prepare<[string, Buffer]>('INSERT OR IGNORE INTO secrets VALUES (?, ?)'),
})

/**
 * What a node has read of a vault in streams, in a file shared by the processes of its directory;
 * without a name, in a temporary file. Keys and secrets are wrapped as in the database.
 */
const openKnownFile = (file: string) => {
  const sqlite = openOrReplace(file)
  const statements = prepared(sqlite)
  const transaction = sqlite.transaction((work: () => void) => work())
  let holdsErased = false

  /** @throws StoreUnavailable */
  const guarded = <Answer>(work: (use: Statements) => Answer): Answer => {
    try {
      return work(statements)
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
      if (file !== '') noteDamage(file, error)
      throw unavailable(error)
    }
  }

  /** Removes erased people from the write-ahead log too, unless another process is reading it. */
  const forgetErased = (): void => {
    const [done] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as readonly { busy: number }[]
    holdsErased = done?.busy !== 0
  }

  return {
    guarded,
    /** Does all of the work or none. `erases`: somebody's key was removed. */
    write: (work: (use: Statements) => { readonly erases: boolean }): void =>
      guarded((use) => {
        transaction.immediate(() => {
          if (work(use).erases) holdsErased = true
        })
        if (holdsErased) forgetErased()
      }),
    /** Clears the file, unless it has progressed since. */
    beginAnew: (event: string): void =>
      guarded(({ journal }) => {
        transaction.immediate(() => {
          if (journal.get()?.event === event) sqlite.exec(empty)
        })
        forgetErased()
      }),
    close: (): void => void sqlite.close(),
  }
}

type Statements = ReturnType<typeof prepared>

/** Digests are passed and compared as base64. */
const inBytes = (text: string): Buffer => Buffer.from(text, 'base64')

const revealed = (key: Buffer, wrapped: Buffer, about: string): Buffer => {
  const plain = unwrap(key, wrapped, about)
  if (!plain) throw new VaultLocked('an entry of the vault was altered: restore the vault')
  return plain
}

/** Folds events into the file. `stored`: wrapped keys by page and person. */
const foldInto = (
  use: Statements,
  wrapping: Buffer,
  stored: ReadonlyMap<string, Readonly<Record<string, string>>>,
) => {
  const keys = new Map<string, Buffer>()

  const digestIn = (id: string, wrappedKey: Buffer, text: string): Buffer => {
    const key = keys.get(id) ?? revealed(wrapping, wrappedKey, aboutPerson(id))
    keys.set(id, key)
    return revealed(key, inBytes(text), aboutDigest(id))
  }

  /** Assigns an identifier to a person, and removes it from its previous holder. */
  const call = (id: string, identifier: Buffer): void => {
    use.takeFrom.run(identifier)
    // An empty digest finds nobody.
    use.call.run(identifier.length === 0 ? null : identifier, id)
  }

  const release = (id: string): void => {
    use.call.run(null, id)
    use.unname.run(id)
  }

  const change = (type: string, id: string, data: Data): void => {
    const { page: from = '', identifier = '', name = '' } = data
    // A missing key means that the person was erased, as a later event records.
    const wrappedKey = type === 'PersonAdded' ? stored.get(from)?.[id] : undefined
    if (wrappedKey !== undefined) {
      keys.delete(id)
      use.add.run(id, from, inBytes(wrappedKey))
    }
    const { key, page } = use.person.get(id) ?? {}
    if (!key || page === undefined) return
    if (type === 'PersonRenamed' || type === 'PersonReleased') release(id)
    if (type === 'PersonRenamed' || wrappedKey !== undefined)
      call(id, digestIn(id, key, identifier))
    if (type === 'PersonNamed') use.name.run(digestIn(id, key, name), id)
    if (type === 'PersonErased') {
      release(id)
      use.remove.run(id)
      use.leave.run(id, page)
      keys.delete(id)
    }
  }

  return ({ type, data: read }: RecordedEvent): void => {
    const data = read as Data
    const { person, name = '', secret = '', keyId, standing } = data
    if (person !== undefined) change(type, person, data)
    if (type === 'SecretKept') {
      revealed(wrapping, inBytes(secret), aboutSecret(name))
      use.keepSecret.run(name, inBytes(secret))
    }
    if (type === 'VaultWrapped' && keyId !== undefined) use.wrapBy.run(keyId)
    if (type === 'VaultStands' && standing) use.stand.run(standing)
  }
}

/**
 * A node's knowledge of all people and secrets: the journal, folded into a file. Only some keys are
 * in memory.
 * Long because it is the list of what is asked of it.
 */
export const knownPeople = (
  pages: Pick<KeyPages, 'keysIn' | 'leave'>,
  { wrapping, keyId }: { readonly wrapping: Buffer; readonly keyId: string },
  file = '',
  remembered = peopleRemembered,
) => {
  const { guarded, write, beginAnew, close } = openKnownFile(file)
  const keys = generationalCache<string, Buffer>(remembered)
  const journal = () => guarded((use) => use.journal.get())

  const keyOf = (id: string): Buffer | undefined =>
    cached(keys, id, () => {
      const stored = guarded((use) => use.person.get(id)?.key)
      return stored && revealed(wrapping, stored, aboutPerson(id))
    })
  const sealing = sealingWith(keyOf)
  const secretIn = (name: string, secret: Buffer): Buffer =>
    revealed(wrapping, secret, aboutSecret(name))

  const forget = (erased: ReadonlyMap<string, readonly string[]>): void => {
    for (const [id, from] of erased) {
      keys.delete(id)
      for (const page of from) pages.leave(page)
    }
    if (erased.size > 0) sealing.forget()
  }

  return {
    /**
     * Applies all events or none. Another process of the directory may have applied some before.
     */
    apply: async (events: readonly RecordedEvent[]): Promise<void> => {
      const needed = new Set(events.flatMap(({ data }) => (data as Data).page ?? []))
      const stored = new Map(
        await Promise.all(
          [...needed].map(async (page) => [page, await pages.keysIn(page)] as const),
        ),
      )
      const erased = new Map<string, readonly string[]>()
      write((use) => {
        const fold = foldInto(use, wrapping, stored)
        const known = use.journal.get()?.revision ?? -1
        for (const event of events) {
          if (event.revision > known) fold(event)
          const { person } = event.data as Data
          if (event.type === 'PersonErased' && person !== undefined)
            erased.set(person, use.pagesOf.all(person))
        }
        const last = events.at(-1)
        if (last && last.revision > known) use.advance.run(last.revision, last.id)
        return { erases: erased.size > 0 }
      })
      forget(erased)
    },
    /** The last known event of the journal. */
    mark: (): { readonly revision: Revision; readonly event: string } | undefined => {
      const { revision = null, event = null } = journal() ?? {}
      return revision === null || event === null ? undefined : { revision, event }
    },
    beginAnew,
    wrappedBy: (): string => journal()?.wrapped_by ?? keyId,
    standing: (): Standing => journal()?.standing ?? 'used',
    count: (): number => guarded((use) => use.count.get() ?? 0),
    /** Ids in order. */
    peopleAfter: (id: string, most: number): readonly string[] =>
      guarded((use) => use.after.all(id, most)),
    person: (id: string): KeptPerson | undefined => {
      const key = keyOf(id)
      return guarded(({ person, namesOf }) => {
        const { identifier } = person.get(id) ?? {}
        const names = namesOf.all(id).map((name) => name.toString('base64'))
        return (
          key && { id, key, identifier: identifier ?? undefined, names: names.sort().map(inBytes) }
        )
      })
    },
    keyOf,
    seal: sealing.seal,
    unseal: sealing.unseal,
    pageOf: (id: string): string | undefined => guarded((use) => use.person.get(id)?.page),
    /** Keys of erased people, of one or all, that may still be in their pages. */
    leaving: (id?: string) =>
      guarded(({ leaving, pagesOf }) =>
        id === undefined ? leaving.all() : pagesOf.all(id).map((page) => ({ id, page })),
      ),
    left: (id: string, page: string): void => guarded((use) => void use.left.run(id, page)),
    idOf: (identifier: string): string | undefined =>
      guarded((use) => use.idOf.get(inBytes(identifier))),
    named: (name: string): string | undefined => guarded((use) => use.named.get(inBytes(name))),
    secret: (name: string): Buffer | undefined => {
      const secret = guarded((use) => use.secret.get(name))
      return secret && secretIn(name, secret)
    },
    secrets: (): readonly KeptSecret[] =>
      guarded((use) => use.secrets.all()).map(({ name, secret }) => ({
        name,
        secret: secretIn(name, secret),
      })),
    close,
  }
}

export type KnownPeople = ReturnType<typeof knownPeople>
