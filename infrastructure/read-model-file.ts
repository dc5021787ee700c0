import Database from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const quoted = (name: string): string => `"${name}"`

const columnsOf = (columns: readonly object[]): string =>
  columns.map((column) => quoted((column as { name: string }).name)).join(', ')

/** The statement that makes a table, unless it is there. */
const tableStatement = (table: SQLiteTable): string => {
  const { name, columns } = getTableConfig(table)
  const lines = columns.map(
    (column) =>
      `${quoted(column.name)} ${column.getSQLType()}${column.primary ? ' PRIMARY KEY' : ''}${column.notNull ? ' NOT NULL' : ''}`,
  )
  return `CREATE TABLE IF NOT EXISTS ${quoted(name)} (${lines.join(', ')}) STRICT`
}

/** The statements that make the indexes of a table, unless they are there. */
const indexStatements = (table: SQLiteTable): string[] => {
  const { name, indexes } = getTableConfig(table)
  return indexes.map(
    ({ config }) =>
      `CREATE INDEX IF NOT EXISTS ${quoted(config.name)} ON ${quoted(name)} (${columnsOf(config.columns)})`,
  )
}

/** Changes whenever the code that folds events into rows changes: the sources of `domain` and `projections`. */
const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const folder of ['domain', 'projections']) {
    const path = fileURLToPath(new URL(`../${folder}/`, import.meta.url))
    const sources = readdirSync(path, { recursive: true, encoding: 'utf8' })
    for (const file of sources.filter((name) => /\.[jt]s$/.test(name)).sort())
      hash.update(file).update(readFileSync(join(path, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

const extension = '.sqlite'
const generationOf = (file: string): number => Number(/-(\d+)\.sqlite$/.exec(file)?.[1] ?? 0)

const filesOf = (directory: string, print: string): string[] =>
  readdirSync(directory)
    .filter((file) => file.startsWith(`read-models-${print}-`) && file.endsWith(extension))
    .sort((a, b) => generationOf(a) - generationOf(b))

/** The file, and the query builder over it. */
export type ReadModelFile = {
  readonly sqlite: Database.Database
  readonly db: BetterSQLite3Database
}

const open = (
  file: string,
  tables: readonly SQLiteTable[],
  pragmas: readonly string[],
): ReadModelFile => {
  const sqlite = new Database(file, { timeout: 5000 })
  for (const pragma of pragmas) sqlite.pragma(pragma)
  for (const table of tables) sqlite.exec(tableStatement(table))
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL) STRICT',
  )
  sqlite.exec('INSERT OR IGNORE INTO checkpoint VALUES (1, 0)')
  return { sqlite, db: drizzle(sqlite) }
}

const makeIndexes = ({ sqlite }: ReadModelFile, tables: readonly SQLiteTable[]): void => {
  for (const table of tables) for (const statement of indexStatements(table)) sqlite.exec(statement)
}

/** For a file that others may read and write meanwhile. A power cut may take the last of it, which the log still has. */
const shared = ['journal_mode = WAL', 'synchronous = NORMAL', 'cache_size = -8192']

/** For a draft that is thrown away unless it is finished. */
const draft = [
  'journal_mode = OFF',
  'synchronous = OFF',
  'locking_mode = EXCLUSIVE',
  'cache_size = -65536',
]

/** Whether anybody has a file open: leaving WAL takes it for oneself alone. */
const isInUse = (file: string): boolean => {
  const sqlite = new Database(file, { timeout: 0 })
  try {
    sqlite.pragma('journal_mode = DELETE')
    return false
  } catch (error) {
    return (error as { readonly code?: string }).code === 'SQLITE_BUSY'
  } finally {
    sqlite.close()
  }
}

const isDatabase = (file: string): boolean => /\.(sqlite|building)$/.test(file)

/**
 * Opens the read models of this version of the code, empty if there were none. They are a cache of the log: a file of
 * another version is never migrated, `removeOthers` throws it away once this one has caught up, unless a process is at
 * work on it still: then a later start does. Processes that share a directory share the file.
 */
export const openReadModelFile = (
  directory: string,
  tables: readonly SQLiteTable[],
): ReadModelFile & { readonly removeOthers: () => void } => {
  mkdirSync(directory, { recursive: true })
  const print = fingerprint()
  const name = filesOf(directory, print).at(-1) ?? `read-models-${print}-1${extension}`
  const removeOthers = (): void => {
    const files = readdirSync(directory).filter((file) => file.startsWith('read-models-'))
    const kept = files.filter(
      (file) => file === name || (isDatabase(file) && isInUse(join(directory, file))),
    )
    for (const file of files)
      if (!kept.some((one) => file === one || file === `${one}-wal` || file === `${one}-shm`))
        rmSync(join(directory, file), { force: true })
  }
  const file = open(join(directory, name), tables, shared)
  makeIndexes(file, tables)
  return { ...file, removeOthers }
}

/**
 * An empty file to fold the whole log into. `finish` puts it beside the present one, whose place it takes when the
 * service is started next.
 */
export const buildReadModelFile = (
  directory: string,
  tables: readonly SQLiteTable[],
): ReadModelFile & { readonly finish: () => void } => {
  mkdirSync(directory, { recursive: true })
  const print = fingerprint()
  const generation = generationOf(filesOf(directory, print).at(-1) ?? '') + 1
  const name = `read-models-${print}-${generation}${extension}`
  const unfinished = join(directory, `${name}.${process.pid}.building`)
  const file = open(unfinished, tables, draft)
  const finish = (): void => {
    // An index is made sooner of all rows together than of one after the other.
    makeIndexes(file, tables)
    file.sqlite.close()
    renameSync(unfinished, join(directory, name))
  }
  return { ...file, finish }
}
