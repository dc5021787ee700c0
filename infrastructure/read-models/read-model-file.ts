import { is, SQL } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { type SQLiteTable, getTableConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import {
  existsSync,
  readdirSync,
  rmSync,
  writeFileSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Mark } from '../event-store/marks.ts'
import Database, { inFile } from '../sqlite.ts'
import { fingerprint } from './fingerprint.ts'
import { makeFolder } from '../open-files.ts'
import { randomUUID, wallClock } from '../../application/machine.ts'
import { noStream, start } from '../../application/event-store.ts'

/** Quotes an SQL identifier. */
export const quoted = (name: string): string => `"${name}"`

export const columnsOf = (columns: readonly object[]): string =>
  columns.map((column) => quoted((column as { name: string }).name)).join(', ')

const tableStatement = (table: SQLiteTable): string => {
  const { name, columns } = getTableConfig(table)
  const lines = columns.map((column) => {
    const rules = `${column.primary ? ' PRIMARY KEY' : ''}${column.notNull ? ' NOT NULL' : ''}`
    return `${quoted(column.name)} ${column.getSQLType()}${rules}`
  })
  return `CREATE TABLE IF NOT EXISTS ${quoted(name)} (${lines.join(', ')}) STRICT`
}

const dialect = new SQLiteSyncDialect()

const indexesOf = (table: SQLiteTable): string[] => {
  const { name, indexes } = getTableConfig(table)
  return indexes.map(({ config }) => {
    const condition = config.where ? ` WHERE ${dialect.sqlToQuery(config.where).sql}` : ''
    const columns = config.columns.map((one) =>
      is(one, SQL) ? dialect.sqlToQuery(one).sql : columnsOf([one]),
    )
    const place = `${quoted(name)} (${columns.join(', ')})`
    return `CREATE INDEX IF NOT EXISTS ${quoted(config.name)} ON ${place}${condition}`
  })
}

/** The last folded event; none in an empty file. */
const checkpointStatements = [
  `CREATE TABLE IF NOT EXISTS checkpoint (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     position INTEGER NOT NULL,
     event TEXT NOT NULL,
     stream TEXT NOT NULL,
     revision INTEGER NOT NULL
   ) STRICT`,
  `INSERT OR IGNORE INTO checkpoint VALUES (1, ${start}, '', '', ${noStream})`,
]

/** The Merkle tree of the log; `first` and `positions` locate the events of level 0 tiles. */
const treeStatements = [
  `CREATE TABLE IF NOT EXISTS tiles (
     level INTEGER NOT NULL,
     number INTEGER NOT NULL,
     first INTEGER,
     hashes BLOB NOT NULL,
     positions BLOB,
     PRIMARY KEY (level, number)
   ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS tiles_by_position ON tiles (first) WHERE level = 0',
]

const momentStatement = `CREATE TABLE IF NOT EXISTS moments (
  at INTEGER PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT`

export const tableStatements = (tables: readonly SQLiteTable[]): string[] => [
  ...tables.map(tableStatement),
  ...checkpointStatements,
  ...treeStatements,
  momentStatement,
]

export const indexStatements = (tables: readonly SQLiteTable[]): string[] =>
  tables.flatMap(indexesOf)

export const nameOf = (print: string, generation: number): string =>
  `read-models-${print}-${generation}.sqlite`

/** The newest generation for this version of the code; 0 for none. */
export const newestGeneration = (directory: string, print: string): number =>
  readdirSync(directory).reduce((newest, file) => {
    const generation = Number(/-(\d+)\.sqlite$/.exec(file)?.[1] ?? 0)
    return file === nameOf(print, generation) ? Math.max(newest, generation) : newest
  }, 0)

/** The file for this version of the code; undefined if there is none. */
export const currentFileIn = (directory: string): string | undefined => {
  if (!existsSync(directory)) return undefined
  const print = fingerprint()
  const generation = newestGeneration(directory, print)
  return generation === 0 ? undefined : join(directory, nameOf(print, generation))
}

export type ReadModelFile = {
  readonly sqlite: Database.Database
  readonly db: BetterSQLite3Database
}

const checkpoints = new WeakMap<Database.Database, ReturnType<Database.Database['prepare']>>()

/** The last folded event. */
export const checkpointOf = ({ sqlite }: ReadModelFile): Mark => {
  const text = 'SELECT position, event, stream, revision FROM checkpoint'
  const statement = checkpoints.get(sqlite) ?? sqlite.prepare(text)
  checkpoints.set(sqlite, statement)
  return statement.get() as Mark
}

export const openFile = (
  file: string,
  pragmas: readonly string[],
  statements: readonly string[],
  options: Database.Options = {},
): ReadModelFile => {
  return inFile(file, () => {
    const sqlite = new Database(file, { timeout: 5000, ...options })
    try {
      for (const pragma of pragmas) sqlite.pragma(pragma)
      for (const statement of statements) sqlite.exec(statement)
    } catch (error) {
      sqlite.close()
      throw error
    }
    return { sqlite, db: drizzle(sqlite) }
  })
}

/** Shared with other processes. A power cut may lose the end, which the log still has. */
const shared = ['journal_mode = WAL', 'synchronous = NORMAL', 'cache_size = -8192']

export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { readonly code?: unknown }).code))

/** A marker file: damage was found while the read models were in use. */
const markOf = (file: string): string => `${file}-damaged`

/**
 * If the error means that the file is damaged, marks it, so that the next start creates a new one.
 * Returns whether it is damaged.
 */
export const noteDamage = (file: string, error: unknown): boolean => {
  if (!isDamage(error)) return false
  try {
    writeFileSync(markOf(file), '')
  } catch {
    // Then the next start finds the damage itself.
  }
  return true
}

/** Records damage that users of the file find. */
export const watchDamage = (file: string) => {
  let isDamaged = false
  return {
    noteDamage: (error: unknown): void => {
      if (noteDamage(file, error)) isDamaged = true
    },
    /** Another thread or process may have found it. The service then restarts with a new file. */
    isDamaged: (): boolean => isDamaged || existsSync(markOf(file)),
  }
}

/** Whether a process may have the file open: only a sole user can leave WAL mode. */
const isInUse = (file: string): boolean => {
  try {
    const { sqlite } = openFile(file, ['journal_mode = DELETE'], [], {
      timeout: 0,
      fileMustExist: true,
    })
    sqlite.close()
    return false
  } catch (error) {
    return !isDamage(error)
  }
}

/** Read models of any version, including drafts, and SQLite's files beside them. */
const databasePattern = /^read-models-[0-9a-f]{16}-\d+\.sqlite(?:\.[0-9a-f-]+\.building)?$/

const databaseOf = (file: string): string | undefined => {
  const name = file.replace(/-(?:wal|shm|journal|damaged)$/, '')
  return databasePattern.test(name) ? name : undefined
}

/** How long read models of another version stay after their last use, in ms. */
const keptMs = 86_400_000

/** When one of its files was last written. */
const writtenAt = (path: string): number =>
  Math.max(
    ...['', '-wal'].map((end) => statSync(path + end, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  )

const isComplete = (name: string): boolean => name === databaseOf(name) && name.endsWith('.sqlite')

/** Of another version: prepared for an upgrade, or to go back to. */
const isKept = (name: string, directory: string): boolean =>
  isComplete(name) &&
  !name.includes(fingerprint()) &&
  wallClock() - writtenAt(join(directory, name)) < keptMs

/** The read models of another version that were written last: those of a running service. */
export const newestOfOthers = (directory: string): string | undefined =>
  readdirSync(directory)
    .filter((name) => isComplete(name) && !name.includes(fingerprint()))
    .map((name) => join(directory, name))
    .toSorted((one, other) => writtenAt(other) - writtenAt(one))[0]

const removeAllBut = (name: string, directory: string): void => {
  const files = readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && databaseOf(entry.name) !== undefined ? entry.name : [],
  )
  const mustStay = (file: string): boolean =>
    file === name ||
    isKept(file, directory) ||
    (file === databaseOf(file) && isInUse(join(directory, file)))
  const kept = new Set(files.filter(mustStay))
  for (const file of files) {
    if (kept.has(databaseOf(file) ?? file)) continue
    try {
      rmSync(join(directory, file), { force: true })
    } catch {
      // A later start tries again.
    }
  }
}

export type OpenReadModels = ReadModelFile & {
  /** Removes all others that nothing uses; those of other versions a day after their last use. */
  readonly removeOthers: () => void
  /**
   * Closes these and opens the next generation, which is the same for all processes of the
   * directory.
   */
  readonly beginAnew: () => OpenReadModels
}

/**
 * Opens the read models for this version of the code, or creates empty ones. They are a cache of
 * the log: other versions are not migrated, and a damaged file is replaced. Processes on one
 * directory share the file.
 */
export const openReadModelFile = (
  directory: string,
  tables: readonly SQLiteTable[],
): OpenReadModels => {
  makeFolder(directory)
  const print = fingerprint()
  const statements = [...tableStatements(tables), ...indexStatements(tables)]

  const openGeneration = (generation: number): OpenReadModels => {
    const name = nameOf(print, generation)
    const next = (): OpenReadModels => openGeneration(generation + 1)
    if (existsSync(markOf(join(directory, name)))) return next()
    try {
      const file = openFile(join(directory, name), shared, statements)
      return {
        ...file,
        removeOthers: () => removeAllBut(name, directory),
        beginAnew: () => {
          file.sqlite.close()
          return next()
        },
      }
    } catch (error) {
      if (isDamage(error)) return next()
      throw error
    }
  }

  return openGeneration(newestGeneration(directory, print) || 1)
}

/** Opens the read models for reading only. @throws Error if the file is gone or damaged */
export const openReadModelsToRead = (file: string): ReadModelFile =>
  openFile(file, [], [], { readonly: true, fileMustExist: true })

/** Opens a second connection to the read models. @throws Error if the file is gone */
export const openReadModelsAgain = (file: string): ReadModelFile =>
  openFile(file, shared, [], { fileMustExist: true })

/** Fast and unsafe: an unfinished draft is discarded, a finished one is synced. */
export const draft = [
  'journal_mode = WAL',
  'synchronous = OFF',
  'wal_autocheckpoint = 16000',
  'cache_size = -65536',
]

/** Syncs a file, or the entries of a directory. */
export const sync = (path: string): void => {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

export type Draft = ReadModelFile & {
  readonly path: string
  /** Puts it beside the current file; the next start uses it. */
  readonly finish: () => void
  readonly discard: () => void
}

export const buildReadModelFile = (directory: string, tables: readonly SQLiteTable[]): Draft => {
  makeFolder(directory)
  const print = fingerprint()
  const nextName = (): string => nameOf(print, newestGeneration(directory, print) + 1)
  const path = join(directory, `${nextName()}.${randomUUID()}.building`)
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  }
  const begin = (): ReadModelFile => {
    try {
      // Nobody else has the file yet: one transaction takes half the time of one for each.
      return openFile(path, draft, ['BEGIN', ...tableStatements(tables), 'COMMIT'])
    } catch (error) {
      remove()
      throw error
    }
  }
  const file = begin()
  const finish = (): void => {
    // Indexing all rows at once is faster than row by row.
    for (const statement of indexStatements(tables)) file.sqlite.exec(statement)
    // A write-ahead log would keep the draft's name.
    file.sqlite.pragma('journal_mode = DELETE')
    file.sqlite.close()
    sync(path)
    // Another process may have taken this name meanwhile.
    renameSync(path, join(directory, nextName()))
    sync(directory)
  }
  const discard = (): void => {
    file.sqlite.close()
    remove()
  }
  return { ...file, path, finish, discard }
}

/** Opens a second connection to a draft. @throws Error if the file is gone */
export const openDraftAgain = (path: string): ReadModelFile =>
  openFile(path, draft, [], { fileMustExist: true })
