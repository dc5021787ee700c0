import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import type { Outage } from '../../application/event-store.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import { guardedBy, reportingTo } from '../logs/outages.ts'
import { addInGroups } from './new-people.ts'
import { peopleRemembered, sealingWith } from './sealing.ts'
import { hasVaultMark, openVaultFile, readVaultMark, standingIn } from './vault-file.ts'
import {
  type VaultKey,
  aboutPerson,
  openWrapping,
  aboutSecret,
  isWrapped,
} from './vault-wrapping.ts'
import {
  digestOf,
  vaultNameOf,
  derivedSecret,
  seedName,
  type Vault,
  checkNotMoved,
  refuseMoved,
  type Rewrapped,
} from './vault-port.ts'
import Database, { inFile } from '../sqlite.ts'
import { randomBytes } from '../../application/machine.ts'

/** How long to wait for another process's lock, in ms. */
const timeout = 10_000

/** Small, because others wait meanwhile. */
const rowsAtOnce = 200

type Stored = { readonly id: string; readonly key: Buffer }

const tablesOf = (sqlite: Database.Database) => {
  const tableOf = (name: string, id: string, key: string, about: (id: string) => string) => ({
    about,
    clear: sqlite.prepare<[number], Stored>(
      `SELECT ${id} AS id, ${key} AS key FROM ${name}
       WHERE substr(${key}, 1, 4) <> CAST('dbw1' AS BLOB) LIMIT ? + 0`,
    ),
    update: sqlite.prepare(`UPDATE ${name} SET ${key} = ? WHERE ${id} = ?`),
  })
  return [
    tableOf('secrets', 'name', 'secret', aboutSecret),
    tableOf('people', 'id', 'key', aboutPerson),
  ]
}

/**
 * Wraps a vault with a key while services that have both keys are running. A plain vault is wrapped
 * a few rows at a time; safe to repeat after an interruption.
 */
export const rewrapVault = (file: string, target: VaultKey, keys: readonly VaultKey[]): Rewrapped =>
  inFile(file, () => {
    const sqlite = new Database(file, { fileMustExist: true, timeout })
    try {
      sqlite.pragma('secure_delete = ON')
      const wrapping = openWrapping(sqlite, keys)
      const before = wrapping.wrappedBy()
      if (before !== target.id) sqlite.transaction(() => wrapping.wrapBy(target)).immediate()
      let wrapped = 0
      for (const { clear, update, about } of tablesOf(sqlite)) {
        const wrapSome = sqlite.transaction((): number => {
          const rows = clear.all(rowsAtOnce)
          for (const { id, key } of rows) update.run(wrapping.protect(key, about(id)), id)
          return rows.length
        })
        for (let count = 1; count > 0; wrapped += count) count = wrapSome.immediate()
      }
      const secret = sqlite.prepare("SELECT secret FROM secrets WHERE name = 'identifiers'")
      const identifiers = secret.pluck().get() as Buffer | undefined
      if (identifiers && isWrapped(identifiers))
        wrapping.name(vaultNameOf(wrapping.reveal(identifiers, aboutSecret('identifiers'))))
      return { wrapped_by: target.id, before: before ?? null, wrapped }
    } finally {
      sqlite.close()
    }
  })

const secretsIn = (
  sqlite: Database.Database,
  { protect, reveal }: ReturnType<typeof openWrapping>,
) => {
  const find = sqlite.prepare<[string], Buffer>('SELECT secret FROM secrets WHERE name = ?').pluck()
  const add = sqlite.prepare('INSERT OR IGNORE INTO secrets VALUES (?, ?)')
  const list = sqlite.prepare<[string], { readonly name: string; readonly secret: Buffer }>(
    'SELECT name, secret FROM secrets WHERE name GLOB ? ORDER BY name',
  )
  const { read: standing } = standingIn(sqlite)

  const found = (name: string): Buffer | undefined => {
    const stored = find.get(name)
    return stored && reveal(stored, aboutSecret(name))
  }
  const keep = (name: string, value: Buffer): void =>
    void add.run(name, protect(value, aboutSecret(name)))

  /** Random or derived, and created on first use. */
  const secret = (name: string): Buffer => {
    const known = found(name)
    if (known) return known
    checkNotMoved(standing())
    const seed = name === seedName ? undefined : found(seedName)
    keep(name, seed ? derivedSecret(seed, name) : randomBytes(32))
    return secret(name)
  }

  return {
    secret,
    keep,
    listed: (prefix: string) =>
      list
        .all(`${prefix}*`)
        .map(({ name, secret }) => ({ name, secret: reveal(secret, aboutSecret(name)) })),
    /**
     * Whether the vault can have no people yet, because the first secret is needed to find them.
     */
    isEmpty: (): boolean => find.get('identifiers') === undefined,
  }
}

/** How long a query waits for another process's lock, in ms; this process is blocked meanwhile. */
const timeoutMs = 50

/** Where outages of the file are reported. */
type Uses = { readonly reading: Outage; readonly writing: Outage }

const nobody: Outage = { worked: () => {}, failed: () => {} }

/**
 * The vault in a file, shared by all nodes of a host.
 * Long because it is the list of all that a vault does.
 */
export const openVault = (
  file: string,
  { reading, writing }: Uses = { reading: nobody, writing: nobody },
  vaultKeys: readonly VaultKey[] = [],
): Vault => {
  const sqlite = openVaultFile(file)
  const { read: standing } = standingIn(sqlite)
  try {
    refuseMoved(standing(), file)
  } catch (error) {
    sqlite.close()
    throw error
  }
  const wrapping = openWrapping(sqlite, vaultKeys)
  const transaction = sqlite.transaction((work: () => void) => work())
  const guarded = guardedBy(reading)
  const guardedWrite = guardedBy(writing)
  const written = <Arguments extends readonly unknown[]>(write: (...args: Arguments) => void) => {
    const guardedOne = guardedWrite((...args: Arguments): void =>
      transaction.immediate(() => {
        checkNotMoved(standing())
        write(...args)
      }),
    )
    return async (...args: Arguments): Promise<void> => guardedOne(...args)
  }
  const findId = sqlite.prepare('SELECT id FROM people WHERE identifier = ?').pluck()
  const findKey = sqlite.prepare('SELECT key FROM people WHERE id = ?').pluck()
  const addPerson = sqlite.prepare('INSERT OR IGNORE INTO people VALUES (?, ?, ?)')
  const releasePerson = sqlite.prepare('UPDATE people SET identifier = randomblob(32) WHERE id = ?')
  const renamePerson = sqlite.prepare('UPDATE people SET identifier = ? WHERE id = ?')
  const removePerson = sqlite.prepare('DELETE FROM people WHERE id = ?')
  const findNamed = sqlite.prepare('SELECT person FROM named WHERE name = ?').pluck()
  const addName = sqlite.prepare('INSERT OR REPLACE INTO named VALUES (?, ?)')
  const removeNames = sqlite.prepare('DELETE FROM named WHERE person = ?')

  const { secret, keep, listed, isEmpty } = secretsIn(sqlite, wrapping)
  const [firstKey] = vaultKeys
  if (firstKey && isEmpty()) wrapping.wrapBy(firstKey)
  const identifiers = secret('identifiers')
  const name = vaultNameOf(identifiers)
  wrapping.name(name)
  const digest = (identifier: string): Buffer => digestOf(identifiers, identifier)

  const dataVersion = sqlite.prepare('PRAGMA data_version').pluck()
  const ids = generationalCache<string, string>(peopleRemembered)
  const named = generationalCache<string, string>(peopleRemembered)
  const keys = generationalCache<string, Buffer>(peopleRemembered)
  let version: unknown
  /**
   * Change check, shared within one microtask turn: a failing check blocks, so it must not be
   * repeated for each caller.
   */
  let changeCheck: { readonly failure?: unknown } | undefined

  const forget = (): void => {
    for (const memory of [ids, named, keys]) memory.clear()
    sealing.forget()
  }

  const checkForChanges = (): { readonly failure?: unknown } => {
    process.nextTick(() => (changeCheck = undefined))
    try {
      const current = dataVersion.get()
      if (current === version) return {}
      checkNotMoved(standing())
      forget()
      version = current
      return {}
    } catch (failure) {
      return { failure }
    }
  }

  /**
   * Clears caches after changes by other processes, in particular erasures. Checked in each turn,
   * because a later request may have been sent after an erasure.
   */
  const forgetIfChanged = (): void => {
    changeCheck ??= checkForChanges()
    if ('failure' in changeCheck) throw changeCheck.failure
  }

  const keyOf = (person: string): Buffer | undefined => {
    forgetIfChanged()
    return cached(keys, person, () => {
      const stored = findKey.get(person) as Buffer | undefined
      return stored && wrapping.reveal(stored, aboutPerson(person))
    })
  }

  const sealing = sealingWith(keyOf)

  const idOf = (identifier: string): string | undefined => {
    forgetIfChanged()
    return cached(ids, identifier, () => findId.get(digest(identifier)) as string | undefined)
  }

  const nameBy = (merchant: string, identifier: string): Buffer =>
    digest(`${identifier}\n${merchant}`)

  const newPeople = addInGroups({
    add: ({ identifier, requestedId = randomBytes(16).toString('hex'), merchant }) => {
      const hidden = digest(identifier)
      addPerson.run(
        requestedId,
        hidden,
        wrapping.protect(randomBytes(32), aboutPerson(requestedId)),
      )
      const id = (findId.get(hidden) as string | undefined) ?? requestedId
      // Written for known people too, so that timing does not reveal who is known.
      if (merchant !== undefined) addName.run(nameBy(merchant, identifier), id)
      return id
    },
    inTransaction: (work) => {
      sqlite.pragma('busy_timeout = 0')
      try {
        transaction.immediate(() => {
          checkNotMoved(standing())
          work()
        })
      } finally {
        sqlite.pragma(`busy_timeout = ${timeoutMs}`)
      }
    },
  })
  const findPerson = guarded(idOf)

  sqlite.pragma(`busy_timeout = ${timeoutMs}`)
  return {
    name,
    /** Every read already checks the file for changes. */
    caughtUp: async (): Promise<void> => {},
    mark: guarded(() => readVaultMark(sqlite)),
    hasMark: guarded((mark: VaultMark) => hasVaultMark(sqlite, mark)),
    wrappedBy: guarded(wrapping.wrappedBy),
    rewrap: async (target: VaultKey) => rewrapVault(file, target, vaultKeys),
    secret: guarded(secret),
    addSecret: written(keep),
    secrets: guarded(listed),
    findPerson,
    /** Finds or adds the person. A new person gets the given id, or a random one. */
    personFor: async (identifier: string, requestedId?: string): Promise<string> =>
      findPerson(identifier) ?? reportingTo(writing, newPeople.add({ identifier, requestedId })),
    /** The person, if the merchant has used this identifier before. */
    findNamed: guarded((merchant: string, identifier: string): string | undefined => {
      forgetIfChanged()
      const find = () => findNamed.get(nameBy(merchant, identifier)) as string | undefined
      return cached(named, `${identifier}\n${merchant}`, find)
    }),
    // One statement, as each one locks the file.
    findNamedAmong: guarded((merchant: string, identifiers: readonly string[]): string[] => {
      forgetIfChanged()
      const names = identifiers.map((one) => nameBy(merchant, one))
      const places = names.map(() => '?').join()
      const found = sqlite.prepare(`SELECT person FROM named WHERE name IN (${places})`)
      return found.pluck().all(...names) as string[]
    }),
    /** Finds or adds the person, in the same time for known and new people. */
    nameFor: (merchant: string, identifier: string): Promise<string> =>
      reportingTo(writing, newPeople.add({ identifier, merchant })),
    hasPerson: guarded((person: string): boolean => keyOf(person) !== undefined),
    rename: written((person: string, identifier: string): void => {
      renamePerson.run(digest(identifier), person)
      removeNames.run(person)
      forget()
    }),
    release: written((person: string): void => {
      releasePerson.run(person)
      removeNames.run(person)
      forget()
    }),
    seal: guarded(sealing.seal),
    unseal: guarded(sealing.unseal),
    shred: written((person: string): void => {
      removePerson.run(person)
      removeNames.run(person)
      forget()
    }),
    close: async (): Promise<void> => {
      await newPeople.finish()
      sqlite.close()
    },
  }
}
