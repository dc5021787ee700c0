import { statfsSync } from 'node:fs'
import { StoreHeld, StoreUnavailable } from '../application/event-store.ts'
import { isHeld } from './sqlite.ts'

/** A database error as the port's StoreUnavailable. */
export const unavailable = (error: unknown): StoreUnavailable => {
  const Failure = isHeld(error) ? StoreHeld : StoreUnavailable
  return new Failure(error instanceof Error ? error.message : String(error), { cause: error })
}

export const diskIsFull = 'the disk is full'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EEXIST: 'there is a file of that name already',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: diskIsFull,
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'permission is denied',
  EROFS: 'it is on a file system that is only read',
}

/** The reason for a failed file operation; undefined for other errors. */
export const reasonOf = (error: unknown): string | undefined =>
  error instanceof Error ? reasons[(error as NodeJS.ErrnoException).code ?? ''] : undefined

/** A file of SQLite grows by this at first: its index of the log of writes. */
const leastRoom = 32_768

/** Whether the disk of a folder or file is full; false where there is none. */
export const isDiskFull = (path: string): boolean => {
  try {
    const { bavail, blocks, bsize, files, ffree } = statfsSync(path)
    // A file system such as /proc has no blocks, and none that are taken.
    const hasNoRoom = blocks > 0 && bavail * bsize < leastRoom
    return hasNoRoom || (files > 0 && ffree === 0)
  } catch {
    return false
  }
}
