import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fail } from '../failures.ts'
import { sync } from '../read-models/read-model-draft.ts'
import type { Settings } from '../settings.ts'
import Database, { inFile } from '../sqlite.ts'
import { isBucket } from '../blobs.ts'
import { blobsIn, isVaultInStreams, logFileIn, vaultIn } from '../stores.ts'
import { checkBackup } from './backup-check.ts'

/** How long to wait for another process's lock, in ms. */
const timeout = 10_000

/** In one read transaction: a consistent copy that writers do not restart. */
const copyDatabase = (from: string, to: string): void => {
  inFile(from, () => {
    const source = new Database(from, { fileMustExist: true, timeout })
    try {
      source.prepare('VACUUM INTO ?').run(to)
    } finally {
      source.close()
    }
  })
}

/** Leaves out partially written blobs. */
const copyBlobs = (from: string, to: string): void => {
  mkdirSync(to)
  if (!existsSync(from)) return
  const isWhole = (path: string): boolean => !/[\da-f]{64}\../.test(path)
  cpSync(from, to, { recursive: true, filter: isWhole })
}

const syncEach = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncEach(path)
    sync(path)
  }
}

const beginFolder = (folder: string): void => {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    fail(`${folder} is not empty: a backup needs a folder of its own`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/**
 * Copies a data directory while the service runs. The log is copied first, so vault and blobs
 * contain everything it refers to. Later events are left out.
 */
export const backUp = async (settings: Settings, to: string): Promise<object> => {
  if (isVaultInStreams(settings))
    fail(
      'the log and the vault are in EventStoreDB: back them up there together, then copy BLOBS ' +
        'and the keys, and keep the key of VAULT_KEY_FILE or VAULT_KEY_COMMAND elsewhere',
    )
  if (settings.EVENT_STORE !== 'sqlite')
    fail('the log is in EventStoreDB: back it up there first, then copy VAULT, BLOBS and the keys')
  if (isBucket(blobsIn(settings)))
    fail(
      'the blobs are in a bucket: copy the log and the vault, then the bucket with its own tools',
    )
  const { DATA_DIR } = settings
  const folder = resolve(to)
  beginFolder(folder)
  const copy = { DATA_DIR: folder }
  copyDatabase(logFileIn(settings), logFileIn(copy))
  copyDatabase(vaultIn(settings), vaultIn(copy))
  copyBlobs(blobsIn(settings), blobsIn(copy))
  for (const name of readdirSync(DATA_DIR).filter((name) => name.endsWith('.pem')))
    copyFileSync(join(DATA_DIR, name), join(folder, name))
  syncEach(folder)
  return checkBackup(folder, settings)
}
