import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { randomBytes } from '../../application/machine.ts'
import Database, { inFile } from '../sqlite.ts'
import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import { standings, type Standing } from './vault-standing.ts'
import { makeFolder } from '../make-folder.ts'

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

/** Opens or creates the file of a vault. */
export const openVaultFile = (file: string): Database.Database => {
  makeFolder(dirname(file))
  return inFile(file, () => openDatabase(file))
}

/** The newest change of a vault. */
export const readVaultMark = (sqlite: Database.Database): VaultMark | undefined =>
  sqlite
    .prepare<[], VaultMark>(
      `SELECT lower(hex(file.mark)) AS file, newest.number AS changes,
         lower(hex(newest.mark)) AS mark
       FROM changes AS newest JOIN changes AS file ON file.number = 0
       ORDER BY newest.number DESC LIMIT 1`,
    )
    .get()

/** Whether a vault has had a change, as far as it remembers. */
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
