import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database, { inFile } from '../sqlite.ts'
import { standings, type Standing } from './vault-standing.ts'

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
  sqlite.exec(tables)
  return sqlite
}

/** Opens or creates the file of a vault. */
export const openVaultFile = (file: string): Database.Database => {
  mkdirSync(dirname(file), { recursive: true })
  return inFile(file, () => openDatabase(file))
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
