import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { securityLogFiles, type SecurityLine } from './security-log.ts'

/** Read at a time, and for one page at most: whoever wants more looks further back. */
const bytesAtOnce = 131_072
const mostBytes = 2_097_152

/** Where to look on: in the file of a day, before a byte. */
export type SecurityPlace = { readonly day: string; readonly before: number }

export type SecurityWanted = {
  readonly merchant: string | null
  readonly type: string | null
  /** As the log names it, or the kind of it: `user:pos1`, `payer`. */
  readonly actor: string | null
}

type SecurityPage = {
  /** Newest first. */
  readonly lines: readonly SecurityLine[]
  /** Undefined where the log begins. */
  readonly next: SecurityPlace | undefined
}

const lineIn = (text: string): SecurityLine | undefined => {
  try {
    return JSON.parse(text) as SecurityLine
  } catch {
    return undefined
  }
}

const isWanted =
  ({ merchant, type, actor }: SecurityWanted) =>
  (line: SecurityLine): boolean =>
    (merchant === null || line.merchant === merchant) &&
    (type === null || line.type === type) &&
    (actor === null || line.actor === actor || line.actor.startsWith(`${actor}:`))

type Found = { readonly at: number; readonly line: SecurityLine }

/** The whole lines that end before a byte, newest first, and where the first of them begins. */
const linesBefore = (file: string, before: number): { found: Found[]; begins: number } => {
  const handle = openSync(file, 'r')
  try {
    const end = Math.min(before, fstatSync(handle).size)
    const start = Math.max(0, end - bytesAtOnce)
    const bytes = Buffer.alloc(end - start)
    readSync(handle, bytes, 0, bytes.length, start)
    // The first is a part of one, unless the file was read from its beginning.
    const first = start === 0 ? 0 : bytes.indexOf(10) + 1
    const found: Found[] = []
    for (let from = first; from < bytes.length;) {
      const newline = bytes.indexOf(10, from)
      const to = newline < 0 ? bytes.length : newline
      const line = lineIn(bytes.toString('utf8', from, to))
      if (line) found.push({ at: start + from, line })
      from = to + 1
    }
    // A line that is longer than what is read at once is passed over.
    const begins = first > 0 || start === 0 ? start + first : start
    return { found: found.toReversed(), begins }
  } finally {
    closeSync(handle)
  }
}

/**
 * A page of the security log of a directory, from a place backwards; fewer lines where it has read
 * far enough.
 */
export const securityPage = (
  directory: string,
  wanted: SecurityWanted,
  from: SecurityPlace | undefined,
  limit: number,
): SecurityPage => {
  const lines: SecurityLine[] = []
  if (!existsSync(directory)) return { lines, next: undefined }
  const isIt = isWanted(wanted)
  let bytes = 0
  const files = securityLogFiles(directory).filter(({ day }) => !from || day <= from.day)
  for (const { day, file } of files.toReversed()) {
    let before = from?.day === day ? from.before : Number.MAX_SAFE_INTEGER
    while (before > 0) {
      if (bytes >= mostBytes) return { lines, next: { day, before } }
      bytes += bytesAtOnce
      const { found, begins } = linesBefore(file, before)
      for (const { at, line } of found) {
        if (isIt(line)) lines.push(line)
        if (lines.length === limit) return { lines, next: { day, before: at } }
      }
      before = begins
    }
  }
  return { lines, next: undefined }
}
