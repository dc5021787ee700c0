import { mkdirSync, statSync } from 'node:fs'
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
