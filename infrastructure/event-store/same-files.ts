import { statSync } from 'node:fs'

const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}/${found.ino}`
}

/**
 * Tells whether a database and its write-ahead log still stand under their names. Whoever has them open goes on writing
 * to files that were removed, and nobody finds what is in them any more. Made while both are there.
 */
export const sameFiles = (file: string) => {
  const paths = [file, `${file}-wal`]
  const opened = paths.map(identityOf)
  return (): boolean => paths.every((path, index) => identityOf(path) === opened[index])
}
