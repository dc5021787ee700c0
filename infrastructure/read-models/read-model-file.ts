import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedEvent } from '../../application/event-store.ts'
import Database, { inFile } from '../sqlite.ts'
import { fingerprint } from './fingerprint.ts'
import { indexStatements, tableStatements } from './read-model-schema.ts'

export const nameOf = (print: string, generation: number): string =>
  `read-models-${print}-${generation}.sqlite`

/** The number of the newest file of this version of the code; 0 when there is none. */
export const newestGeneration = (directory: string, print: string): number =>
  readdirSync(directory).reduce((newest, file) => {
    const generation = Number(/-(\d+)\.sqlite$/.exec(file)?.[1] ?? 0)
    return file === nameOf(print, generation) ? Math.max(newest, generation) : newest
  }, 0)

/** The file, and the query builder over it. */
export type ReadModelFile = {
  readonly sqlite: Database.Database
  readonly db: BetterSQLite3Database
}

/** The event up to which the log is folded. */
export type Checkpoint = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & {
  /** Its id. */
  readonly event: string
}

export const checkpointOf = ({ sqlite }: ReadModelFile): Checkpoint =>
  sqlite.prepare('SELECT position, event, stream, revision FROM checkpoint').get() as Checkpoint

/** Opens a database of read models, whatever it is for. */
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

/** For a file that others may read and write meanwhile. A power cut may take the last of it, which the log still has. */
const shared = ['journal_mode = WAL', 'synchronous = NORMAL', 'cache_size = -8192']

const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { readonly code?: unknown }).code))

/** Stands beside a file whose damage showed only when it was folded into or read. */
const markOf = (file: string): string => `${file}-damaged`

/**
 * Keeps in mind, when that is what an error tells of, that the file is damaged: the next start leaves it for a new one.
 * Answers whether it is.
 */
export const noteDamage = (file: string, error: unknown): boolean => {
  if (!isDamage(error)) return false
  try {
    writeFileSync(markOf(file), '')
  } catch {
    // Then the next start meets the damage once more.
  }
  return true
}

/** Whether anybody may have a file open: leaving WAL takes it for oneself alone. */
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

/** A file of read models of any version, finished or not, and then what SQLite keeps beside it. */
const namePattern =
  /^(read-models-[0-9a-f]{16}-\d+\.sqlite(?:\.[0-9a-f-]+\.building)?)(?:-wal|-shm|-journal|-damaged)?$/

const databaseOf = (file: string): string | undefined => namePattern.exec(file)?.[1]

/** Removes all read models in a directory but those of that name and those that a process is at work on. */
const removeAllBut = (name: string, directory: string): void => {
  const files = readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && databaseOf(entry.name) !== undefined ? entry.name : [],
  )
  const isKept = (file: string): boolean =>
    file === name || (file === databaseOf(file) && isInUse(join(directory, file)))
  const kept = new Set(files.filter(isKept))
  for (const file of files) {
    if (kept.has(databaseOf(file) ?? file)) continue
    try {
      rmSync(join(directory, file), { force: true })
    } catch {
      // It is in nobody's way, and a later start tries again.
    }
  }
}

export type OpenReadModels = ReadModelFile & {
  /** Removes all other read models but those that a process is at work on: a later start does. */
  readonly removeOthers: () => void
  /** Closes these and opens those after them: for all processes that share the directory the same. */
  readonly beginAnew: () => OpenReadModels
}

/**
 * Opens the read models of this version of the code, empty if there were none. They are a cache of the log: a file of
 * another version is never migrated, `removeOthers` throws it away once this one has caught up, and a damaged one is left
 * for a new one. Processes that share a directory share the file.
 */
export const openReadModelFile = (
  directory: string,
  tables: readonly SQLiteTable[],
): OpenReadModels => {
  mkdirSync(directory, { recursive: true })
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

/** Opens once more the file of read models that are open. @throws Error when it is not there any more */
export const openReadModelsAgain = (file: string): ReadModelFile =>
  openFile(file, shared, [], { fileMustExist: true })
