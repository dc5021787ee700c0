import { existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as aggregates from '../domain/aggregates.ts'
import { start, type EventStore, type RecordedEvent } from '../application/event-store.ts'
import { categoryOf } from '../domain/stream.ts'
import { projections } from '../projections/read-models.ts'
import { UnusableLog } from './event-store/sqlite-event-file.ts'
import type { EventLog } from './event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from './event-store/sqlite-event-store.ts'
import { buildReadModelFile } from './read-models/read-model-draft.ts'
import {
  checkpointOf,
  type Checkpoint,
  openReadModelFile,
  type OpenReadModels,
  type ReadModelFile,
} from './read-models/read-model-file.ts'
import { settingShown, WrongSettings, type Settings } from './settings.ts'
import Database from './sqlite.ts'
import type { Where } from './worker.ts'

/** Where the data lies. */
export type Place = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR'>

const categories = new Set(Object.values(aggregates).map(({ category }) => category))

/**
 * Others may keep events of their own in the same database. What stands in a stream of ours is ours, whatever it says of
 * itself: an intruder there is not to be passed by. So is what another version of ours says, in streams that this one
 * does not know.
 */
const isOurs = ({ stream, metadata }: RecordedEvent): boolean =>
  categories.has(categoryOf(stream)) ||
  ('schema' in metadata && 'actor' in metadata && 'correlationId' in metadata)

/** The client is loaded by whoever has such a server: it takes a tenth of a second and more in each thread. */
const connect = async (connectionString: string): Promise<EventStore> => {
  const { connectEventStoreDB } = await import('./event-store/eventstoredb-event-store.ts')
  try {
    return connectEventStoreDB(connectionString, { isOurs })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const shown = settingShown('EVENT_STORE', connectionString)
    throw new WrongSettings(`${shown}: must be a connection string: ${reason}`)
  }
}

export const logFileIn = ({ DATA_DIR }: Pick<Place, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'events.sqlite')

/** Whether anybody has begun a log there. @throws Error of the system when this user may not look */
const isBegun = (place: Place): boolean =>
  (statSync(logFileIn(place), { throwIfNoEntry: false })?.size ?? 0) > 0

/** The vault of an installation that has its own. */
export const ownVaultIn = ({ DATA_DIR }: Pick<Place, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'vault.sqlite')

type Parts = Pick<Settings, 'DATA_DIR'> & Partial<Pick<Settings, 'VAULT' | 'BLOBS'>>

/** The vault of an installation. */
export const vaultIn = ({ VAULT, DATA_DIR }: Parts): string => VAULT ?? ownVaultIn({ DATA_DIR })

/** The folder of attachments and logos. */
export const blobsIn = ({ BLOBS, DATA_DIR }: Parts): string => BLOBS ?? join(DATA_DIR, 'blobs')

const directoryIn = ({ DATA_DIR }: Place): string => join(DATA_DIR, 'read-models')

/** Whoever has lost a log is to know it: an empty one in its place would answer as if nothing had ever been. */
const refuseLostLog = (place: Place): void => {
  // A service begins both after its log.
  const left = [ownVaultIn(place), directoryIn(place)].find((path) => existsSync(path))
  if (left === undefined || isBegun(place)) return
  throw new UnusableLog(
    `its log, events.sqlite, is missing, though ${basename(left)} is there: put it back, or begin in an empty folder`,
  )
}

/** The event store, and the log beneath it when that is a file of ours. */
export type OpenedStore = EventStore & { readonly log?: EventLog }

/**
 * Opens the event store for a service, or for a command that may append; begins the log where there was never one.
 * @throws Error when the folder or the log in it cannot be used; the message says why
 */
export const openStore = async (
  place: Place,
  committing: Where = 'inline',
): Promise<OpenedStore> => {
  const { EVENT_STORE, DATA_DIR } = place
  // Its log says who paid whom, and what ids are made of.
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  if (EVENT_STORE !== 'sqlite') return connect(EVENT_STORE)
  refuseLostLog(place)
  return openSqliteEventStore(logFileIn(place), 'append', committing)
}

/** @throws UnusableLog when nobody has begun a log there: a mistyped folder is not to look like one in which nothing is. */
export const checkLogIsThere = (place: Place): void => {
  if (place.EVENT_STORE !== 'sqlite' || isBegun(place)) return
  refuseLostLog(place)
  throw new UnusableLog('there is no log in it: no service was ever started there')
}

const cannotBeOpened = /^SQLITE_(?:CANTOPEN|READONLY)/

/** The event store for somebody who reads what is there and writes nothing. */
export const openStoreToRead = async (place: Place): Promise<OpenedStore> => {
  const { EVENT_STORE } = place
  if (EVENT_STORE !== 'sqlite') return connect(EVENT_STORE)
  checkLogIsThere(place)
  try {
    return openSqliteEventStore(logFileIn(place), 'read')
  } catch (error) {
    if (!(error instanceof Database.SqliteError && cannotBeOpened.test(error.code))) throw error
    throw new UnusableLog(
      'its log cannot be read without writing beside it, as any SQLite file with a write-ahead log: read a copy, ' +
        'in a folder that this user may write',
    )
  }
}

const tables = projections.map(({ table }) => table)

/** Whether the log holds the event that the read models were folded up to, at the place where it was. */
const areOf = async (store: EventStore, readModels: ReadModelFile): Promise<boolean> => {
  const { position, event, stream, revision } = checkpointOf(readModels)
  if (position === start) return true
  const [found] = await store.readStream(stream, revision, 1)
  return found?.id === event && found.position === position
}

/** The read models of this log; begun anew when those at hand are of another one, or of more than was restored of it. */
export const openReadModels = async (
  place: Place,
  store: EventStore,
  onBegunAnew: (foldedTo: Checkpoint) => void = () => {},
): Promise<OpenReadModels> => {
  let readModels = openReadModelFile(directoryIn(place), tables)
  while (!(await areOf(store, readModels))) {
    onBegunAnew(checkpointOf(readModels))
    readModels = readModels.beginAnew()
  }
  return readModels
}

export const buildReadModels = (place: Place) => buildReadModelFile(directoryIn(place), tables)
