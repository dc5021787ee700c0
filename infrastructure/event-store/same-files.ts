import { statSync } from 'node:fs'

const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}/${found.ino}`
}

/**
 * Checks whether a database, its write-ahead log and its shared-memory file still exist under their
 * names. A process that has removed files open would keep writing to them unseen, and with separate
 * locks would destroy what others write. Create it while all files exist.
 */
export const sameFiles = (file: string) => {
  const paths = [file, `${file}-wal`, `${file}-shm`]
  const opened = paths.map(identityOf)
  return (): boolean => paths.every((path, index) => identityOf(path) === opened[index])
}
