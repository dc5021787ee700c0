import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LogFile } from '../../domain/accounting/completion.ts'
import { makeFolder } from '../make-folder.ts'

const bufferedCharacters = 1 << 18

/** A file written under a draft name. */
const draftFile = (draft: string) => {
  const directory = dirname(draft)
  makeFolder(directory)
  const file = openSync(draft, 'w')
  return {
    write: (content: Buffer): void => {
      for (let written = 0; written < content.length;) written += writeSync(file, content, written)
      // Sync each time: a large backlog would delay others that sync.
      fdatasyncSync(file)
    },
    finish: (sha256: string): void => {
      // Close last: if the rename fails, `abandon` closes it.
      renameSync(draft, join(directory, `${sha256}.csv`))
      closeSync(file)
    },
    abandon: (): void => {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

/**
 * Writes one log file under a draft name; when finished, it is renamed to the hash of its bytes.
 * Without a draft name only hash and size are computed.
 */
export const openDraft = (draft: string | null, columns: string) => {
  const file = draft === null ? undefined : draftFile(draft)
  const hash = createHash('sha256')
  let buffer = `${columns}\n`
  let bytes = 0
  let lines = 0
  const flush = (): void => {
    const content = Buffer.from(buffer)
    buffer = ''
    hash.update(content)
    bytes += content.length
    file?.write(content)
  }
  return {
    add(text: string): void {
      buffer += `${text}\n`
      lines += 1
      if (buffer.length >= bufferedCharacters) flush()
    },
    finish(): LogFile {
      flush()
      const sha256 = hash.digest('hex')
      file?.finish(sha256)
      return { sha256, lines, bytes }
    },
    abandon(): void {
      file?.abandon()
    },
  }
}
