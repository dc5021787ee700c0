import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  statSync,
  readFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fail } from '../../infrastructure/failures.ts'
import { sync } from '../../infrastructure/read-models/read-model-file.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import Database, { inFile } from '../../infrastructure/sqlite.ts'
import { isBucket } from '../../infrastructure/blobs/blobs.ts'
import { blobsIn, isVaultInStreams, logFileIn, vaultIn } from '../../infrastructure/stores.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'
import { makeFolder } from '../../infrastructure/open-files.ts'
import { createPrivateKey } from 'node:crypto'
import { DamagedEvent, start, type EventStore } from '../../application/event-store.ts'
import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import { payers } from '../../domain/aggregates.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { categoryOf, idIn } from '../../domain/stream.ts'
import { openBlobDirectory } from '../../infrastructure/blobs/blob-directory.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { hasVaultMark } from '../../infrastructure/people/vault-file.ts'
import {
  readVaultKeys,
  type VaultKey,
  aboutSecret,
  openWrapping,
  VaultLocked,
} from '../../infrastructure/people/vault-wrapping.ts'
import { readVaultName } from '../../infrastructure/people/vault-port.ts'

/** The hashes of the blobs that an event refers to. */
export const blobsOf = (event: Recorded): string[] => {
  if (event.type === 'AttachmentsUploaded' || event.type === 'PaymentEvidenceSent')
    return event.data.attachments.map(({ hash, sealedHash }) => sealedHash ?? hash)
  const { logo } = event.data as { readonly logo?: unknown }
  return typeof logo === 'string' ? [logo] : []
}

/** Events that are made with the payer's key. */
const needKey: ReadonlySet<string> = new Set([
  ...['PayerRegistered', 'PayerProfileChanged', 'PayerCredentialsChanged', 'PayerSignedIn'],
])

/** Payers whose keys the vault must have. Whom merchants have named is erased without an event. */
export const namedPeople = () => {
  const ids = new Set<string>()
  return {
    observe: ({ stream, type }: Pick<Recorded, 'stream' | 'type'>): void => {
      if (categoryOf(stream) !== payers.category) return
      if (type === 'PayerErased') ids.delete(idIn(stream))
      else if (needKey.has(type)) ids.add(idIn(stream))
    },
    ids: (): readonly string[] => [...ids],
  }
}

/** All events before the first damaged one, which is reported as a problem. */
async function* soundBatches(store: EventStore, problems: string[]) {
  try {
    yield* store.readAll(start)
  } catch (error) {
    if (!(error instanceof DamagedEvent)) throw error
    problems.push(error.message)
  }
}

const readLog = async (file: string) => {
  const store = openSqliteEventStore(file, 'read')
  try {
    const problems = [...store.log.damage()]
    const blobs = new Set<string>()
    let [events, position, at] = [0, start, 0]
    let vault: string | undefined
    let mark: VaultMark | undefined
    const people = namedPeople()
    for await (const batch of soundBatches(store, problems))
      for (const event of batch.map(parseEvent)) {
        if (event.type === 'VaultChosen') vault = event.data.vault
        if (event.type === 'CheckpointSigned') mark = event.data.vault ?? mark
        people.observe(event)
        for (const hash of blobsOf(event)) blobs.add(hash)
        position = event.position
        at = Math.max(at, event.metadata.at)
        events += 1
      }
    return { problems, blobs, events, position, at, vault, mark, people: people.ids() }
  } finally {
    await store.close()
  }
}

const problemsOfBlobs = async (folder: string, named: Iterable<string>): Promise<string[]> => {
  if (!existsSync(folder)) return ['the folder of blobs is missing']
  const blobs = openBlobDirectory(folder)
  const problems: string[] = []
  for (const hash of named)
    try {
      if ((await blobs.get(hash)) === undefined) problems.push(`the blob ${hash} is missing`)
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  return problems
}

const problemsOfKeys = (folder: string, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    try {
      createPrivateKey(readFileSync(join(folder, name)))
      return []
    } catch (error) {
      return [`${name} contains no private key: ${reasonOf(error) ?? 'it is damaged'}`]
    }
  })

type KeySettings = Parameters<typeof readVaultKeys>[0]

/** Opens a copy of a wrapped vault if a key was given; otherwise only its name is known. */
const problemsOfVaultKey = (
  file: string,
  wrappedBy: string | undefined,
  keys: readonly VaultKey[],
): string[] => {
  if (wrappedBy === undefined || keys.length === 0) return []
  const sqlite = new Database(file, { readonly: true })
  try {
    const identifiers = sqlite.prepare("SELECT secret FROM secrets WHERE name = 'identifiers'")
    const stored = identifiers.pluck().get() as Buffer
    openWrapping(sqlite, keys).reveal(stored, aboutSecret('identifiers'))
    return []
  } catch (error) {
    if (error instanceof VaultLocked) return [error.message]
    throw error
  } finally {
    sqlite.close()
  }
}

/** Whether the vault is older than the log. */
const problemsOfAge = (
  file: string,
  { mark, people }: Pick<Awaited<ReturnType<typeof readLog>>, 'mark' | 'people'>,
): string[] => {
  const sqlite = new Database(file, { readonly: true })
  try {
    const find = sqlite.prepare('SELECT 1 FROM people WHERE id = ?')
    const missing = people.filter((id) => find.get(id) === undefined)
    const hasMarks = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'changes'").get()
    const isOlder = mark !== undefined && hasMarks && !hasVaultMark(sqlite, mark)
    return [
      ...missing.map((id) => `the vault lacks the key of payer ${id}`),
      ...(isOlder ? ['the vault is older than the log'] : []),
    ]
  } finally {
    sqlite.close()
  }
}

/** Reads a whole backup and summarises it. @throws OperatorError if it cannot be restored */
export const checkBackup = async (from: string, settings: KeySettings) => {
  const folder = resolve(from)
  const place = { DATA_DIR: folder }
  for (const file of [logFileIn(place), vaultIn(place)])
    if (!existsSync(file)) fail(`${file} is missing: ${folder} is not a complete backup`)
  const log = await readLog(logFileIn(place))
  const keys = readdirSync(folder).filter((name) => name.endsWith('.pem'))
  const { name: vault, people, damage, wrappedBy } = readVaultName(vaultIn(place))
  const problems = [
    ...log.problems,
    ...damage,
    ...problemsOfVaultKey(vaultIn(place), wrappedBy, readVaultKeys(settings)),
    ...(vault === log.vault ? [] : ['the vault is not the one that the log is sealed with']),
    ...problemsOfAge(vaultIn(place), log),
    ...(await problemsOfBlobs(blobsIn(place), log.blobs)),
    ...problemsOfKeys(folder, keys),
  ]
  if (problems.length > 0) fail([`${folder} cannot be restored:`, ...problems].join('\n'))
  return {
    folder,
    events: log.events,
    last_position: log.position,
    last_event_at: new Date(log.at).toISOString(),
    people,
    vault_wrapped_by: wrappedBy ?? null,
    blobs: log.blobs.size,
    keys,
  }
}

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
