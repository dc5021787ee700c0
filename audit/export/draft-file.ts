import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { basename } from 'node:path'

const bufferedCharacters = 1 << 18

export type ExportedFile = {
  readonly name: string
  readonly bytes: number
  /** Hexadecimal, as sha256sum prints it. */
  readonly sha256: string
}

/** A file of an export, hashed while it is written. */
export const openDraftFile = (path: string) => {
  const file = openSync(path, 'wx')
  const hash = createHash('sha256')
  let [buffer, bytes, isOpen] = ['', 0, true]
  const write = (content: Uint8Array): void => {
    hash.update(content)
    bytes += content.length
    for (let written = 0; written < content.length;) written += writeSync(file, content, written)
  }
  const flush = (): void => {
    write(Buffer.from(buffer))
    buffer = ''
  }
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    add: (text: string): void => {
      buffer += text
      if (buffer.length >= bufferedCharacters) flush()
    },
    addBytes: (content: Uint8Array): void => {
      flush()
      write(content)
    },
    finish: (): ExportedFile => {
      flush()
      fsyncSync(file)
      close()
      return { name: basename(path), bytes, sha256: hash.digest('hex') }
    },
    /** Has no effect once it is finished. */
    close,
  }
}

export type DraftFile = ReturnType<typeof openDraftFile>
