import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../application/blobs.ts'

export const hashOf = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Blobs as files of a directory, spread over sub-directories by the first two digits of their hash.
 * @throws Error when it is not there and cannot be made
 */
export const openBlobDirectory = (directory: string): Blobs => {
  mkdirSync(directory, { recursive: true })
  const fileOf = (hash: string): string => join(directory, hash.slice(0, 2), hash)

  /** The content stands under its name only when all of it is on the disk. */
  const write = async (file: string, content: Uint8Array): Promise<void> => {
    await mkdir(dirname(file), { recursive: true })
    const draft = `${file}.${randomUUID()}`
    try {
      const handle = await open(draft, 'wx', 0o600)
      try {
        await handle.writeFile(content)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, file)
    } catch (error) {
      await unlink(draft).catch(() => {})
      throw error
    }
  }

  return {
    put: async (content) => {
      const hash = hashOf(content)
      const file = fileOf(hash)
      const size = await stat(file).then(
        (found) => found.size,
        () => undefined,
      )
      if (size !== content.byteLength) await write(file, content)
      // Its name may have been given only just now, by another, whom a power cut was faster than.
      for (const changed of [dirname(file), directory, dirname(directory)]) await sync(changed)
      return hash
    },
    get: async (hash) => {
      if (!/^[\da-f]{64}$/.test(hash)) return undefined
      let content: Buffer
      try {
        content = await readFile(fileOf(hash))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
      if (hashOf(content) !== hash) throw new Error(`the blob ${hash} is damaged`)
      return new Uint8Array(content)
    },
  }
}
