import { chmodSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { randomBytes, nextTurn } from '../../application/machine.ts'
import Database, { inFile } from '../sqlite.ts'
import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import {
  standings,
  type Standing,
  peopleAtOnce,
  type KeptPerson,
  type VaultContents,
  vaultNameOf,
} from './vault-port.ts'
import { makeFolder } from '../open-files.ts'
import { type VaultKey, aboutPerson, aboutSecret, openWrapping } from './vault-wrapping.ts'

const tables = `
  CREATE TABLE IF NOT EXISTS people (
    id TEXT PRIMARY KEY,
    identifier BLOB NOT NULL UNIQUE,
    key BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS named (
    name BLOB PRIMARY KEY,
    person TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS named_by_person ON named (person);
  CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT;`

/** How many changes are kept: the log names a recent one. */
const changesKept = 10_000

const changed = (table: string, what: string): string => `
  CREATE TRIGGER IF NOT EXISTS ${table}_${what.toLowerCase()} AFTER ${what} ON ${table} BEGIN
    INSERT INTO changes (mark) VALUES (randomblob(8));
    DELETE FROM changes WHERE number BETWEEN 1 AND last_insert_rowid() - ${changesKept};
  END;`

/**
 * Each change has the next number and a random mark, by which an older copy is recognised. The mark
 * of number 0 is that of the file, which a move makes anew.
 */
const changes = `
  CREATE TABLE IF NOT EXISTS changes (number INTEGER PRIMARY KEY, mark BLOB NOT NULL) STRICT;
  ${changed('people', 'INSERT')} ${changed('people', 'UPDATE')} ${changed('people', 'DELETE')}
  ${changed('named', 'INSERT')} ${changed('named', 'DELETE')} ${changed('secrets', 'INSERT')}`

/** How long opening waits for another process's lock, in ms. */
const openingTimeout = 5_000

const openDatabase = (file: string) => {
  const sqlite = new Database(file, { timeout: openingTimeout })
  chmodSync(file, 0o600)
  // Deleted keys must not survive in the file: no write-ahead log, and freed pages are overwritten.
  // The rollback journal is deleted but not overwritten.
  sqlite.pragma('journal_mode = DELETE')
  sqlite.pragma('secure_delete = ON')
  sqlite.pragma('synchronous = FULL')
  // Marks and released identifiers are random as everything else is.
  sqlite.function('randomblob', (count) => randomBytes(Number(count)))
  sqlite.exec(tables + changes)
  // Written only once: a vault in use is opened without a lock.
  if (sqlite.prepare('SELECT 1 FROM changes WHERE number = 0').get() === undefined)
    sqlite.exec('INSERT OR IGNORE INTO changes VALUES (0, randomblob(8))')
  return sqlite
}

export const openVaultFile = (file: string): Database.Database => {
  makeFolder(dirname(file))
  return inFile(file, () => openDatabase(file))
}

export const readVaultMark = (sqlite: Database.Database): VaultMark | undefined =>
  sqlite
    .prepare<[], VaultMark>(
      `SELECT lower(hex(file.mark)) AS file, newest.number AS changes,
         lower(hex(newest.mark)) AS mark
       FROM changes AS newest JOIN changes AS file ON file.number = 0
       ORDER BY newest.number DESC LIMIT 1`,
    )
    .get()

export const hasVaultMark = (sqlite: Database.Database, noted: VaultMark): boolean => {
  const newest = readVaultMark(sqlite)
  if (newest?.file !== noted.file) return true
  const find = sqlite.prepare<[number], string>(
    'SELECT lower(hex(mark)) FROM changes WHERE number = ?',
  )
  const found = find.pluck().get(noted.changes)
  return found === undefined ? newest.changes > noted.changes : found === noted.mark
}

/** Whether an existing file is a vault, or still empty. */
export const isVaultFile = (file: string): boolean =>
  inFile(file, () => {
    const sqlite = new Database(file, { readonly: true, timeout: openingTimeout })
    try {
      const names = sqlite.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all()
      return names.length === 0 || names.includes('secrets')
    } finally {
      sqlite.close()
    }
  })

/** The standing of the vault in a file, stored in its header. */
export const standingIn = (sqlite: Database.Database) => {
  const version = sqlite.prepare<[], number>('PRAGMA user_version').pluck()
  return {
    read: (): Standing => standings[version.get() ?? 0] ?? 'left',
    write: (standing: Standing): void => {
      sqlite.pragma(`user_version = ${standings.indexOf(standing)}`)
    },
  }
}

type Row = { readonly id: string; readonly identifier: Buffer; readonly key: Buffer }

type Secret = { readonly name: string; readonly secret: Buffer }

/** The order of names in both kinds of vaults. */
export const byBase64 = (one: Buffer, other: Buffer): number =>
  one.toString('base64') < other.toString('base64') ? -1 : 1

const statementsOf = (sqlite: ReturnType<typeof openVaultFile>) => ({
  secrets: sqlite.prepare<[], Secret>('SELECT name, secret FROM secrets ORDER BY name'),
  keepSecret: sqlite.prepare('INSERT OR IGNORE INTO secrets VALUES (?, ?)'),
  count: sqlite.prepare<[], number>('SELECT count(*) FROM people').pluck(),
  after: sqlite.prepare<[string, number], Row>(
    'SELECT * FROM people WHERE id > ? ORDER BY id LIMIT ?',
  ),
  find: sqlite.prepare<[string], Row>('SELECT * FROM people WHERE id = ?'),
  names: sqlite.prepare<[string], Buffer>('SELECT name FROM named WHERE person = ?').pluck(),
  // An identifier is unique. In an unfinished copy its previous holder may still have it.
  takeFrom: sqlite.prepare(
    'UPDATE people SET identifier = randomblob(32) WHERE identifier = ? AND id <> ?',
  ),
  put: sqlite.prepare('INSERT OR REPLACE INTO people VALUES (?, ?, ?)'),
  remove: sqlite.prepare('DELETE FROM people WHERE id = ?'),
  removeNames: sqlite.prepare('DELETE FROM named WHERE person = ?'),
  addName: sqlite.prepare('INSERT OR REPLACE INTO named VALUES (?, ?)'),
})

/**
 * The complete contents of a vault's file, which is created if missing.
 * Long because it is the list of what a vault that is moved must do.
 */
export const contentsOfFile = (file: string, keys: readonly VaultKey[]): VaultContents => {
  const sqlite = openVaultFile(file)
  const standing = standingIn(sqlite)
  const wrapping = openWrapping(sqlite, keys)
  const statements = statementsOf(sqlite)

  const personOf = ({ id, identifier, key }: Row): KeptPerson => ({
    id,
    identifier,
    key: wrapping.reveal(key, aboutPerson(id)),
    names: statements.names.all(id).toSorted(byBase64),
  })
  const secrets = (): readonly Secret[] =>
    statements.secrets.all().map(({ name, secret }) => {
      return { name, secret: wrapping.reveal(secret, aboutSecret(name)) }
    })
  const name = (): string | undefined => {
    const kept = secrets().find((one) => one.name === 'identifiers')
    return kept && vaultNameOf(kept.secret)
  }
  const write = async (work: () => void): Promise<void> => {
    await nextTurn()
    sqlite.transaction(work).immediate()
  }

  return {
    label: file,
    name,
    isEmpty: () => statements.secrets.get() === undefined && statements.count.get() === 0,
    standing: standing.read,
    stand: async (word) => standing.write(word),
    secrets,
    keepSecrets: (list) =>
      write(() => {
        const [first] = keys
        if (first && statements.secrets.get() === undefined) wrapping.wrapBy(first)
        for (const { name: id, secret } of list)
          statements.keepSecret.run(id, wrapping.protect(secret, aboutSecret(id)))
        const vault = name()
        if (vault !== undefined) wrapping.name(vault)
      }),
    count: () => statements.count.get() ?? 0,
    *people() {
      for (let after = ''; ;) {
        const rows = statements.after.all(after, peopleAtOnce)
        if (rows.length === 0) return
        yield rows.map(personOf)
        after = rows.at(-1)?.id ?? after
      }
    },
    person: (id) => {
      const row = statements.find.get(id)
      return row && personOf(row)
    },
    put: (people) =>
      write(() => {
        for (const { id, key, identifier = randomBytes(32), names } of people) {
          statements.takeFrom.run(identifier, id)
          statements.put.run(id, identifier, wrapping.protect(key, aboutPerson(id)))
          statements.removeNames.run(id)
          for (const one of names) statements.addName.run(one, id)
        }
      }),
    erase: (people) =>
      write(() => {
        for (const id of people)
          for (const statement of [statements.remove, statements.removeNames]) statement.run(id)
      }),
    discard: async () => {
      // Overwrites before deleting, because secure_delete is on.
      await write(
        () =>
          void sqlite.exec(
            'DELETE FROM people; DELETE FROM named; DELETE FROM secrets; DELETE FROM wrapping',
          ),
      )
      sqlite.close()
      for (const suffix of ['', '-used', '-used-journal']) rmSync(file + suffix, { force: true })
    },
    close: async () => void sqlite.close(),
  }
}
