import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Outage } from '../../application/event-store.ts'
import { generationalCache, cached } from '../../application/generational-cache.ts'
import { heed } from '../outages.ts'
import Database, { inFile } from '../sqlite.ts'
import { unavailable } from '../unavailable.ts'
import { addInGroups } from './new-people.ts'
import { seal, unseal } from './sealing.ts'
import { digestOf, vaultNameOf } from './vault-name.ts'

const tables = `
  CREATE TABLE IF NOT EXISTS people (
    id TEXT PRIMARY KEY,
    identifier BLOB NOT NULL UNIQUE,
    key BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT;`

const peopleRemembered = 10_000

/** In characters: names and numbers are met again and again, the content of a file is not and would fill the memory. */
const longestRemembered = 1_000

/** How long another process may hold the file, in ms, before opening it gives up. */
const openingTimeout = 5_000
/** How long one question may wait for another process, in ms: everything else in this one waits with it. */
const patience = 50

/** What the log says of people is sealed with other keys than those of this vault, if it is there at all. */
export class WrongVault extends Error {
  override readonly name = 'WrongVault'
  constructor(file: string, whatItIs = 'is not the vault') {
    super(
      `${file} ${whatItIs} that this log is sealed with: put that one in its place, or name it with VAULT`,
    )
  }
}

const openDatabase = (file: string) => {
  const sqlite = new Database(file, { timeout: openingTimeout })
  chmodSync(file, 0o600)
  // A key that was thrown away must not linger in the file or in a copy of it: no write-ahead log, and freed pages are
  // overwritten. The rollback journal, which held it meanwhile, is removed and not overwritten.
  sqlite.pragma('journal_mode = DELETE')
  sqlite.pragma('secure_delete = ON')
  sqlite.pragma('synchronous = FULL')
  sqlite.exec(tables)
  return sqlite
}

const openFile = (file: string) => {
  mkdirSync(dirname(file), { recursive: true })
  return inFile(file, () => openDatabase(file))
}

/** The same calls of one use, whose failures in the file are those of a store, and told. @throws StoreUnavailable */
const guardedBy =
  ({ worked, failed }: Outage) =>
  <Given extends readonly unknown[], Answer>(call: (...given: Given) => Answer) =>
  (...given: Given): Answer => {
    try {
      const answer = call(...given)
      worked()
      return answer
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
      const failure = unavailable(error)
      failed(failure)
      throw failure
    }
  }

/** Who is told how the file can be used. */
type Uses = { readonly reading: Outage; readonly writing: Outage }
const nobody: Outage = { worked: () => {}, failed: () => {} }

/**
 * What must not stand in the log: a key for each person whose data the log holds, found by a keyed digest of the
 * identifier (a phone number, or whatever else a merchant called somebody), and the secrets of the installation. To
 * shred a person's key is to erase the person: the log stays as it is and tells nothing any more. All nodes of an
 * installation share one vault. Everything but opening it throws StoreUnavailable while the file cannot be used.
 */
export const openVault = (
  file: string,
  { reading, writing }: Uses = { reading: nobody, writing: nobody },
) => {
  const sqlite = openFile(file)
  const guarded = guardedBy(reading)
  const guardedWrite = guardedBy(writing)
  const findSecret = sqlite.prepare('SELECT secret FROM secrets WHERE name = ?').pluck()
  const addSecret = sqlite.prepare('INSERT OR IGNORE INTO secrets VALUES (?, ?)')
  const listSecrets = sqlite.prepare(
    'SELECT name, secret FROM secrets WHERE name GLOB ? ORDER BY name',
  )
  const findId = sqlite.prepare('SELECT id FROM people WHERE identifier = ?').pluck()
  const findKey = sqlite.prepare('SELECT key FROM people WHERE id = ?').pluck()
  const addPerson = sqlite.prepare('INSERT OR IGNORE INTO people VALUES (?, ?, ?)')
  const removePerson = sqlite.prepare('DELETE FROM people WHERE id = ?')

  /** A random secret of the installation, made when it is first asked for. */
  const secret = (name: string): Buffer => {
    const known = findSecret.get(name) as Buffer | undefined
    if (known) return known
    addSecret.run(name, randomBytes(32))
    return findSecret.get(name) as Buffer
  }
  const identifiers = secret('identifiers')
  const digest = (identifier: string): Buffer => digestOf(identifiers, identifier)

  const dataVersion = sqlite.prepare('PRAGMA data_version').pluck()
  const ids = generationalCache<string, string>(peopleRemembered)
  const keys = generationalCache<string, Buffer>(peopleRemembered)
  /** Texts by what they are sealed as, and the other way round: the same few are meant again and again. */
  const textsBySealed = generationalCache<string, string>(peopleRemembered)
  const sealedByText = generationalCache<string, string>(peopleRemembered)
  let version: unknown
  /**
   * What came of looking, for all who ask until every promise that can go on has gone on: if nothing came of it, they
   * would wait in vain one after another.
   */
  let looked: { readonly failure?: unknown } | undefined

  const forget = (): void => {
    for (const memory of [ids, keys, textsBySealed, sealedByText]) memory.clear()
  }

  const look = (): { readonly failure?: unknown } => {
    process.nextTick(() => (looked = undefined))
    try {
      const current = dataVersion.get()
      if (current !== version) forget()
      version = current
      return {}
    } catch (failure) {
      return { failure }
    }
  }

  /**
   * Forgets what other processes may have changed, somebody's erasure above all: looked at before anything else can have
   * come in since, for a request that is read later may have been sent after an erasure.
   */
  const keepUp = (): void => {
    looked ??= look()
    if ('failure' in looked) throw looked.failure
  }

  const keyOf = (person: string): Buffer | undefined => {
    keepUp()
    return cached(keys, person, () => findKey.get(person) as Buffer | undefined)
  }

  const idOf = (identifier: string): string | undefined => {
    keepUp()
    return cached(ids, identifier, () => findId.get(digest(identifier)) as string | undefined)
  }

  const transaction = sqlite.transaction((work: () => void) => work())
  const newPeople = addInGroups({
    add: (identifier, wanted = randomBytes(16).toString('hex')) => {
      const hidden = digest(identifier)
      addPerson.run(wanted, hidden, randomBytes(32))
      return (findId.get(hidden) as string | undefined) ?? wanted
    },
    together: (work) => {
      sqlite.pragma('busy_timeout = 0')
      try {
        transaction.immediate(work)
      } finally {
        sqlite.pragma(`busy_timeout = ${patience}`)
      }
    },
  })
  const findPerson = guarded(idOf)

  sqlite.pragma(`busy_timeout = ${patience}`)
  return {
    name: vaultNameOf(identifiers),
    secret: guarded(secret),
    /** Keeps a secret under a name that is not taken. */
    addSecret: guardedWrite((name: string, value: Buffer): void => void addSecret.run(name, value)),
    /** The secrets whose names begin so, ordered by name. */
    secrets: guarded(
      (prefix: string) =>
        listSecrets.all(`${prefix}*`) as { readonly name: string; readonly secret: Buffer }[],
    ),
    findPerson,
    /** The person with an identifier; from now on there is one. A new one gets the given id, or one without meaning. */
    personFor: async (identifier: string, wanted?: string): Promise<string> =>
      findPerson(identifier) ?? heed(writing, newPeople.add(identifier, wanted)),
    hasPerson: guarded((person: string): boolean => keyOf(person) !== undefined),
    /** @throws Error for a person who is not known, or no longer. */
    seal: guarded((person: string, text: string): string => {
      const key = keyOf(person)
      if (!key) throw new Error('there is no key of this person')
      if (text.length > longestRemembered) return seal(key, text)
      return cached(sealedByText, `${person} ${text}`, () => seal(key, text))
    }),
    /** Undefined once the person has been erased. */
    unseal: guarded((person: string, sealed: string): string | undefined => {
      const key = keyOf(person)
      if (key === undefined || sealed.length > longestRemembered) return key && unseal(key, sealed)
      return cached(textsBySealed, `${person} ${sealed}`, () => unseal(key, sealed))
    }),
    shred: guardedWrite((person: string): void => {
      removePerson.run(person)
      forget()
    }),
    /** Whoever waits to be written is written first. */
    close: async (): Promise<void> => {
      await newPeople.finish()
      sqlite.close()
    },
  }
}

export type Vault = ReturnType<typeof openVault>
