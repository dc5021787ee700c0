import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from './fingerprint.ts'
import { nameOf, newestGeneration, openFile, type ReadModelFile } from './read-model-file.ts'
import { indexStatements, tableStatements } from './read-model-schema.ts'

/** For a draft that is thrown away unless it is finished, and synced then; it is read while another thread writes it. */
const draft = [
  'journal_mode = WAL',
  'synchronous = OFF',
  'wal_autocheckpoint = 16000',
  'cache_size = -65536',
]

/** Has the disk hold what was written to a file, or which files a directory has. */
const sync = (path: string): void => {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** A draft of read models, empty at first. */
export type Draft = ReadModelFile & {
  /** Where it lies until it is finished. */
  readonly path: string
  /** Puts it beside the present file, whose place it takes when the service is started next. */
  readonly finish: () => void
  /** Throws it away. */
  readonly discard: () => void
}

/** Begins an empty file to fold the whole log into. */
export const buildReadModelFile = (directory: string, tables: readonly SQLiteTable[]): Draft => {
  mkdirSync(directory, { recursive: true })
  const print = fingerprint()
  const nextName = (): string => nameOf(print, newestGeneration(directory, print) + 1)
  const path = join(directory, `${nextName()}.${randomUUID()}.building`)
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  }
  const begin = (): ReadModelFile => {
    try {
      return openFile(path, draft, tableStatements(tables))
    } catch (error) {
      remove()
      throw error
    }
  }
  const file = begin()
  const finish = (): void => {
    // It takes less time to index all rows together than one after the other.
    for (const statement of indexStatements(tables)) file.sqlite.exec(statement)
    // All of it into the one file: a write-ahead log would keep the name of the draft.
    file.sqlite.pragma('journal_mode = DELETE')
    file.sqlite.close()
    sync(path)
    // Others may have begun a file meanwhile.
    renameSync(path, join(directory, nextName()))
    sync(directory)
  }
  const discard = (): void => {
    file.sqlite.close()
    remove()
  }
  return { ...file, path, finish, discard }
}

/** Opens once more a draft that is open. @throws Error when it is not there any more */
export const openDraftAgain = (path: string): ReadModelFile =>
  openFile(path, draft, [], { fileMustExist: true })
