import { copyFileSync, cpSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fail } from '../infrastructure/failures.ts'
import { sync } from '../infrastructure/read-models/read-model-draft.ts'
import type { Settings } from '../infrastructure/settings.ts'
import Database, { inFile } from '../infrastructure/sqlite.ts'
import { isBucket } from '../infrastructure/blobs/blobs.ts'
import { blobsIn, isVaultInStreams, logFileIn, vaultIn } from '../infrastructure/stores.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { checkBackup } from './backup-check.ts'
import { makeFolder } from '../infrastructure/make-folder.ts'

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
  makeFolder(to)
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
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    fail(`${folder} cannot be made: ${reasonOf(error) ?? String(error)}`)
  }
}

/** Only files of this machine are copied. @throws OperatorError */
const checkEmbedded = (settings: Settings): void => {
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
}

const copyKeys = (from: string, to: string): void => {
  for (const name of readdirSync(from).filter((name) => name.endsWith('.pem')))
    copyFileSync(join(from, name), join(to, name))
}

/**
 * Copies a data directory while the service runs. The log is copied first, so vault and blobs
 * contain everything it refers to. Later events are left out.
 */
export const backUp = async (settings: Settings, to: string): Promise<object> => {
  checkEmbedded(settings)
  const { DATA_DIR } = settings
  const folder = resolve(to)
  beginFolder(folder)
  const copy = { DATA_DIR: folder }
  copyDatabase(logFileIn(settings), logFileIn(copy))
  copyDatabase(vaultIn(settings), vaultIn(copy))
  copyBlobs(blobsIn(settings), blobsIn(copy))
  copyKeys(DATA_DIR, folder)
  syncEach(folder)
  return checkBackup(folder, settings)
}

const isBare = (path: string): boolean =>
  !existsSync(path) || (statSync(path).isDirectory() && readdirSync(path).length === 0)

/** Puts a backup where the settings say, if nothing is there. The log is put there last. */
export const restore = async (settings: Settings, from: string): Promise<object> => {
  checkEmbedded(settings)
  const found = await checkBackup(from, settings)
  const { DATA_DIR } = settings
  const copy = { DATA_DIR: found.folder }
  for (const place of [DATA_DIR, vaultIn(settings), blobsIn(settings)])
    if (!isBare(place))
      fail(`${place} is not empty: stop the service, and move what is there to another place`)
  const [log, vault, blobs] = [logFileIn(settings), vaultIn(settings), blobsIn(settings)]
  for (const folder of [DATA_DIR, dirname(vault), dirname(blobs)]) makeFolder(folder, 0o700)
  copyBlobs(blobsIn(copy), blobs)
  copyKeys(copy.DATA_DIR, DATA_DIR)
  copyDatabase(vaultIn(copy), vault)
  syncEach(DATA_DIR)
  syncEach(blobs)
  const draft = `${log}.restoring`
  copyDatabase(logFileIn(copy), draft)
  sync(draft)
  renameSync(draft, log)
  for (const path of [vault, dirname(vault), blobs, DATA_DIR]) sync(path)
  return { ...found, restored_to: DATA_DIR }
}
