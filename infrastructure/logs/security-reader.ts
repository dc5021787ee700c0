import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { securityLogFiles, type SecurityLine } from './security-log.ts'

/** Bytes read per file; `daybook audit security` reads everything. */
const bytesRead = 262_144
const daysRead = 7

/** The last lines of a file. */
export const endOf = (file: string): readonly string[] => {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = Buffer.alloc(Math.min(size, bytesRead))
    readSync(handle, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8').split('\n')
    // The first line may be incomplete, unless the file was read from its beginning.
    return size > bytes.length ? lines.slice(1) : lines
  } finally {
    closeSync(handle)
  }
}

const lineIn = (text: string): SecurityLine | undefined => {
  try {
    return JSON.parse(text) as SecurityLine
  } catch {
    return undefined
  }
}

/** The newest lines about a merchant, newest first. */
export const newestSecurityLines = (
  directory: string,
  merchant: string,
  limit: number,
): readonly SecurityLine[] => {
  const found: SecurityLine[] = []
  if (!existsSync(directory)) return found
  for (const { file } of securityLogFiles(directory).slice(-daysRead).toReversed()) {
    for (const text of endOf(file).toReversed()) {
      const line = text.includes(merchant) ? lineIn(text) : undefined
      if (line?.merchant === merchant) found.push(line)
      if (found.length === limit) return found
    }
  }
  return found
}
