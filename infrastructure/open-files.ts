import { readFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Makes a folder and those around it, unless it is there. Node's own `recursive` never returns
 * where a file system takes no folders, as /proc. @throws Error from the system
 */
export const makeFolder = (path: string, mode = 0o777): void => {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && isFolder(path)) return
    const around = dirname(path)
    if (code !== 'ENOENT' || around === path || isFolder(around)) throw error
    makeFolder(around, mode)
    makeFolder(path, mode)
  }
}

/** The minimum for the service's files and a few connections. */
const least = 128

/** Enough for connections, callbacks in flight and live pages of a busy service. */
const enough = 4096

/** How many files this process may have open, according to /proc/self/limits. */
export const openFilesIn = (limits: string): number | undefined => {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** Undefined if the system does not say. */
const openFiles = (): number | undefined => {
  try {
    return openFilesIn(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return undefined
  }
}

type FewOpenFiles = { readonly isTooFew: boolean; readonly text: string }

/** A warning about a low limit; undefined if the limit is high enough. */
export const fewOpenFiles = (limit = openFiles()): FewOpenFiles | undefined => {
  if (limit === undefined || limit >= enough) return undefined
  const what = `only ${limit} files can be open at a time, connections among them`
  const text = `${what}: raise the limit (ulimit -n) to ${enough} or more`
  return { isTooFew: limit < least, text }
}
