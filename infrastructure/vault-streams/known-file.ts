import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Revision } from '../../application/event-store.ts'
import type { Standing } from '../people/vault-standing.ts'
import { isDamage, noteDamage } from '../read-models/read-model-file.ts'
import Database from '../sqlite.ts'
import { inFile } from '../sqlite.ts'
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

const open = (file: string): Database.Database => {
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

const remove = (file: string): void => {
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

const known = /^(vault-known-[\da-f]{16}\.sqlite)(?:-(?:wal|shm|damaged))?$/

/** Whether a node has created such a file there. */
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
export const openKnownFile = (file: string) => {
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

export type Statements = ReturnType<typeof prepared>
