import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DamagedEvent, start, type EventStore } from '../application/event-store.ts'
import type { VaultMark } from '../domain/transparency/checkpoints.ts'
import { parseEvent } from '../domain/events.ts'
import { openBlobDirectory } from '../infrastructure/blobs/blob-directory.ts'
import { blobsOf, namedPeople } from '../service/bound-parts.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'
import { fail } from '../infrastructure/failures.ts'
import { hasVaultMark } from '../infrastructure/people/vault-file.ts'
import { readVaultKeys, type VaultKey } from '../infrastructure/people/vault-keys.ts'
import { readVaultName } from '../infrastructure/people/vault-name.ts'
import { aboutSecret, openWrapping, VaultLocked } from '../infrastructure/people/vault-wrapping.ts'
import Database from '../infrastructure/sqlite.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import { blobsIn, logFileIn, vaultIn } from '../infrastructure/stores.ts'

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
