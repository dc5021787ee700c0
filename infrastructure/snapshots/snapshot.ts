import { existsSync, renameSync, rmSync, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../../application/event-store.ts'
import { placeOf } from '../event-store/seen-events.ts'
import type { Mark } from '../event-store/marks.ts'
import { fail, OperatorError } from '../failures.ts'
import { fingerprint } from '../read-models/fingerprint.ts'
import {
  checkpointOf,
  nameOf,
  newestGeneration,
  openFile,
  openReadModelsToRead,
  sync,
} from '../read-models/read-model-file.ts'
import Database from '../sqlite.ts'
import { makeFolder } from '../open-files.ts'
import { randomUUID, steadyTime } from '../../application/machine.ts'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../logs/log.ts'
import type { Settings } from '../settings.ts'
import { currentReadModels, openStoreToRead, readModelsIn, type Place } from '../stores.ts'

/** Pages copied before other work of the thread runs: 16 MB. */
const pagesAtOnce = 4_096

export type Snapshot = {
  /** Of the code that folded it; no other version can use it. */
  readonly fingerprint: string
  /** The last folded event. */
  readonly foldedTo: Mark
}

const remove = (file: string): void => {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/** Copies read models, while a service may be folding into them, to one consistent file. */
export const takeSnapshot = async (readModels: string, to: string): Promise<Snapshot> => {
  const draft = `${to}.${randomUUID()}.building`
  const source = openReadModelsToRead(readModels)
  try {
    // A consistent state, whatever is written meanwhile.
    source.sqlite.exec('BEGIN')
    const foldedTo = checkpointOf(source)
    await source.sqlite.backup(draft, { progress: () => pagesAtOnce })
    const copy = new Database(draft)
    copy.pragma('journal_mode = DELETE')
    copy.exec('CREATE TABLE snapshot (fingerprint TEXT NOT NULL) STRICT')
    copy.prepare('INSERT INTO snapshot VALUES (?)').run(fingerprint())
    copy.close()
    renameSync(draft, to)
    return { fingerprint: fingerprint(), foldedTo }
  } finally {
    source.sqlite.close()
    remove(draft)
  }
}

/** @throws OperatorError if the file is not a snapshot */
export const readSnapshot = (file: string): Snapshot => {
  if (!existsSync(file)) return fail(`${file}: there is no such file`)
  try {
    const opened = openReadModelsToRead(file)
    try {
      const select = opened.sqlite.prepare('SELECT fingerprint FROM snapshot').pluck()
      return { fingerprint: String(select.get()), foldedTo: checkpointOf(opened) }
    } finally {
      opened.sqlite.close()
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    return fail(`${file} is not a snapshot of read models: ${error.message}`)
  }
}

/** Where a snapshot is stored before it is checked; a start removes leftovers. */
export const draftIn = (directory: string): string => {
  makeFolder(directory, 0o700)
  return join(directory, `${nameOf(fingerprint(), 1)}.${randomUUID()}.building`)
}

/**
 * Checks a snapshot in the directory, and uses it as read models from the next start on.
 * @throws OperatorError if another version took it, or it is of another log
 */
export const putInUse = async (
  draft: string,
  directory: string,
  store: Pick<EventStore, 'readStream'>,
): Promise<Snapshot> => {
  try {
    const snapshot = readSnapshot(draft)
    const { position, stream } = snapshot.foldedTo
    if (snapshot.fingerprint !== fingerprint())
      fail('the snapshot was taken by another version of daybook: take one with this version')
    if ((await placeOf(store, snapshot.foldedTo)) !== 'as seen')
      fail(`the snapshot is of another log: this one has no such event ${position} in ${stream}`)
    openFile(draft, [], ['DROP TABLE snapshot']).sqlite.close()
    sync(draft)
    const name = nameOf(fingerprint(), newestGeneration(directory, fingerprint()) + 1)
    renameSync(draft, join(directory, name))
    sync(directory)
    return snapshot
  } finally {
    remove(draft)
  }
}

/** How long the other node may be silent, because it copies before it sends. */
const silenceMs = 120_000

export const chunkBytes = 1_048_576

/** @throws OperatorError if the other node does not deliver it */
const download = async (from: string, token: string, to: string): Promise<void> => {
  const { request } = await import('../undici.ts')
  const { statusCode, body } = await request(`${from.replace(/\/$/, '')}/read-models`, {
    headers: { Authorization: `Bearer ${token}` },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  if (statusCode !== 200) return fail(`it answers ${statusCode}: ${(await body.text()).trim()}`)
  await pipeline(body, createWriteStream(to, { mode: 0o600, highWaterMark: chunkBytes }))
}

const fetchSnapshot = async (place: Place, from: string, token: string): Promise<Snapshot> => {
  const directory = readModelsIn(place)
  const draft = draftIn(directory)
  await download(from, token, draft)
  const store = await openStoreToRead(place)
  try {
    return await putInUse(draft, directory, store)
  } finally {
    await store.close()
  }
}

/**
 * Copies the read models of another node to a node without any. On failure, they are folded from
 * the log.
 */
export const beginFromSnapshot = async (settings: Settings, log: Log): Promise<void> => {
  const { SNAPSHOT_FROM: from, SNAPSHOT_TOKEN: token } = settings
  if (from === undefined || currentReadModels(settings) !== undefined) return
  const began = steadyTime()
  try {
    if (token === undefined) return fail('SNAPSHOT_TOKEN is not set')
    const { foldedTo } = await fetchSnapshot(settings, from, token)
    const seconds = Number(((steadyTime() - began) / 1_000).toFixed(1))
    log.info({ from, position: foldedTo.position, seconds }, 'started from a snapshot')
  } catch (error) {
    const reason = error instanceof OperatorError ? error.message : error
    log.warn({ from, reason }, 'no snapshot is available there: the log is folded instead')
  }
}
