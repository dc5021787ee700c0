import { statSync } from 'node:fs'

const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}/${found.ino}`
}

/**
 * Tells whether a database, its write-ahead log and the memory with the locks of both still stand
 * under their names. Whoever has them open goes on writing to files that were removed, and nobody
 * finds what is in them any more; and who has other locks than those who come later destroys what
 * these write. Made while all are there.
 */
export const sameFiles = (file: string) => {
  const paths = [file, `${file}-wal`, `${file}-shm`]
  const opened = paths.map(identityOf)
  return (): boolean => paths.every((path, index) => identityOf(path) === opened[index])
}
