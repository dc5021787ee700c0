import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from './fingerprint.ts'
import { nameOf, newestGeneration, openFile, type ReadModelFile } from './read-model-file.ts'
import { indexStatements, tableStatements } from './read-model-schema.ts'
import { makeFolder } from '../make-folder.ts'
import { randomUUID } from '../../application/machine.ts'

/** Fast and unsafe: an unfinished draft is discarded, a finished one is synced. */
const draft = [
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
      return openFile(path, draft, tableStatements(tables))
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
