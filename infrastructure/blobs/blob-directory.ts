import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../../application/blobs.ts'
import type { Outage } from '../../application/event-store.ts'
import { reportingTo } from '../logs/outages.ts'
import { unavailable } from '../system-errors.ts'
import { makeFolder } from '../open-files.ts'
import { aside, randomUUID } from '../../application/machine.ts'

export const hashOf = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Treats failed file operations as an unavailable store. @throws StoreUnavailable */
const fail = (error: unknown): never => {
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined
  throw isOfSystem ? unavailable(error) : error
}

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Blobs as files, in sub-directories named by the first two digits of their hash. @throws Error if
 * the directory cannot be created
 */
export const openBlobDirectory = (directory: string): Blobs => {
  makeFolder(directory)
  const fileOf = (hash: string): string => join(directory, hash.slice(0, 2), hash)

  /** Renames the file into place only after it is synced. */
  const write = async (file: string, content: Uint8Array): Promise<void> => {
    // Not recursive: a missing root may be a mount that returns, and must not be replaced.
    await mkdir(dirname(file)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
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

  const keep = async (file: string, content: Uint8Array): Promise<void> => {
    const size = await stat(file).then(
      (found) => found.size,
      () => undefined,
    )
    if (size !== content.byteLength) await write(file, content)
    // Also if it existed: another process may not have synced the name yet.
    for (const changed of [dirname(file), directory, dirname(directory)]) await sync(changed)
  }

  /** A missing blob, unless the directory itself is missing. @throws StoreUnavailable */
  const missing = async (error: unknown): Promise<undefined> => {
    if (codeOf(error) !== 'ENOENT') fail(error)
    await stat(directory).catch(fail)
  }

  return {
    put: async (content) => {
      const hash = hashOf(content)
      await aside(() => keep(fileOf(hash), content)).catch(fail)
      return hash
    },
    get: async (hash) => {
      if (!/^[\da-f]{64}$/.test(hash)) return undefined
      const content = await aside(() => readFile(fileOf(hash)).catch(missing))
      if (content === undefined) return undefined
      if (hashOf(content) !== hash) throw new Error(`the blob ${hash} is damaged`)
      return new Uint8Array(content)
    },
  }
}

export const watchBlobs = (
  { put, get }: Blobs,
  { reading, writing }: { readonly reading: Outage; readonly writing: Outage },
): Blobs => ({
  put: (content) => reportingTo(writing, put(content)),
  get: (hash) => reportingTo(reading, get(hash)),
})
