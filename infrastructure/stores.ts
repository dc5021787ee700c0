import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as aggregates from '../domain/aggregates.ts'
import type { OperatorAccount } from '../domain/cause.ts'
import type { EventStore, RecordedEvent } from '../application/event-store.ts'
import { categoryOf, streamOf } from '../domain/stream.ts'
import { projections } from '../projections/read-models.ts'
import { placeOf } from './event-store/seen-events.ts'
import { lossOf, type Mark } from './event-store/marks.ts'
import type { KnownEnd } from './event-store/eventstoredb-head.ts'
import type { OtherStreams } from './event-store/eventstoredb-writer.ts'
import { UnusableLog, type OpenOptions } from './event-store/sqlite-event-file.ts'
import type { Committing, EventLog } from './event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from './event-store/sqlite-event-store.ts'
import {
  buildReadModelFile,
  checkpointOf,
  currentFileIn,
  openReadModelFile,
  type OpenReadModels,
} from './read-models/read-model-file.ts'
import { printSetting, vaultInStreams, WrongSettings, type Settings } from './settings.ts'
import Database from './sqlite.ts'
import { makeFolder } from './open-files.ts'
import { aside } from '../application/machine.ts'

export type Place = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR'> & {
  /** The operator accepts a log that lost events. */
  readonly acceptsLoss?: boolean
  /** Only the service makes a log; a command needs one. */
  readonly needsLog?: boolean
  /** The account that runs a command, for its events. */
  readonly operator?: OperatorAccount | undefined
}

const categories = new Set(Object.values(aggregates).map(({ category }) => category))

/**
 * Distinguishes our events from others' in a shared database. Everything in one of our streams
 * counts, and so do events with our metadata in streams of other versions.
 */
export const isOurs = ({ stream, metadata }: Pick<RecordedEvent, 'stream' | 'metadata'>): boolean =>
  categories.has(categoryOf(stream)) ||
  ('schema' in metadata && 'actor' in metadata && 'correlationId' in metadata)

/** Loaded on demand: it takes a tenth of a second in each thread. */
const connect = async (connectionString: string): Promise<OpenedStore> => {
  const { connectEventStoreDB } = await aside(
    () => import('./event-store/eventstoredb-event-store.ts'),
  )
  try {
    return connectEventStoreDB(connectionString, { isOurs })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const printed = printSetting('EVENT_STORE', connectionString)
    throw new WrongSettings(`${printed}: must be a connection string: ${reason}`)
  }
}

export const logFileIn = ({ DATA_DIR }: Pick<Place, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'events.sqlite')

/** @throws Error from the system if this user lacks permission to look */
const isBegun = (place: Place): boolean =>
  (statSync(logFileIn(place), { throwIfNoEntry: false })?.size ?? 0) > 0

const ownVaultIn = ({ DATA_DIR }: Pick<Place, 'DATA_DIR'>): string => join(DATA_DIR, 'vault.sqlite')

type Parts = Pick<Settings, 'DATA_DIR'> & Partial<Pick<Settings, 'VAULT' | 'BLOBS'>>

/** Whether the vault is in streams of EVENT_STORE, and not in a file. */
export const isVaultInStreams = ({ VAULT }: Partial<Pick<Settings, 'VAULT'>>): boolean =>
  VAULT === vaultInStreams

export const vaultIn = ({ VAULT, DATA_DIR }: Parts): string => VAULT ?? ownVaultIn({ DATA_DIR })

const besideVault = (parts: Parts): string =>
  isVaultInStreams(parts) ? ownVaultIn(parts) : vaultIn(parts)

/** Where the newest event is noted, beside the vault or where its file would be. */
export const seenIn = (parts: Parts): string => `${besideVault(parts)}-seen`

/** One-time uses are recorded beside the vault, which all nodes share. */
export const usedIn = (parts: Parts): string => `${vaultIn(parts)}-used`

/** Lockouts of unknown phone numbers are kept there too. */
export const strangersIn = (parts: Parts): string => `${besideVault(parts)}-strangers`

export const blobsIn = ({ BLOBS, DATA_DIR }: Parts): string => BLOBS ?? join(DATA_DIR, 'blobs')

export const readModelsIn = ({ DATA_DIR }: Pick<Place, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'read-models')

/** A lost log must not be silently replaced by an empty one. */
const refuseLostLog = (place: Place): void => {
  // A service creates both after its log.
  const left = [ownVaultIn(place), readModelsIn(place)].find((path) => existsSync(path))
  if (left === undefined || isBegun(place)) return
  throw new UnusableLog(
    `its log, events.sqlite, is missing, though ${basename(left)} is there: ` +
      'put it back, or begin in an empty folder',
  )
}

/**
 * `log` is set if the store is a file of ours. Otherwise `streams` is: other streams of the
 * database, which are not part of the log.
 */
export type OpenedStore = EventStore & {
  readonly log?: EventLog
  readonly streams?: OtherStreams
  /** Set if the store itself knows it. */
  readonly canBeWritten?: () => boolean
  /** The known end of the log, if finding it costs a request. */
  readonly end?: KnownEnd
  /** The service is stopping: calls end within the time that a stop may take. */
  readonly beginEnding?: () => void
}

/**
 * Opens the event store for appending; creates the log if there never was one. @throws Error with
 * the reason if the directory or its log cannot be used
 */
export const openStore = async (
  place: Place,
  committing: Committing = 'inline',
  isAlone?: () => boolean,
  options: OpenOptions = {},
): Promise<OpenedStore> => {
  const { EVENT_STORE, DATA_DIR, acceptsLoss, needsLog } = place
  if (needsLog) checkLogFile(place)
  // The log contains payment data and the key of ids.
  makeFolder(DATA_DIR, 0o700)
  if (EVENT_STORE !== 'sqlite') return connect(EVENT_STORE)
  refuseLostLog(place)
  const all = { ...options, acceptsLoss }
  return openSqliteEventStore(logFileIn(place), 'append', committing, isAlone, all)
}

const noLog = (): UnusableLog =>
  new UnusableLog(
    'there is no log in it: no service was ever started there. ' +
      'Give a command the settings of the service; `daybook serve` makes a log',
  )

const checkLogFile = (place: Place): void => {
  if (place.EVENT_STORE !== 'sqlite' || isBegun(place)) return
  refuseLostLog(place)
  throw noLog()
}

/** @throws UnusableLog if no service has begun this log */
export const checkInstallation = async ({
  readStream,
}: Pick<EventStore, 'readStream'>): Promise<void> => {
  const [made] = await readStream(streamOf(aggregates.installations, 'daybook'), 0, 1)
  if (!made) throw noLog()
}

/** A mistyped place must not look like an empty log, nor become one. @throws UnusableLog */
export const checkLogIsThere = async (place: Place): Promise<void> => {
  checkLogFile(place)
  // Opening the log checks this too, but leaves a folder.
  if (place.EVENT_STORE === 'sqlite' || existsSync(place.DATA_DIR)) return
  const store = await connect(place.EVENT_STORE)
  try {
    await checkInstallation(store)
  } finally {
    await store.close()
  }
}

const cannotBeOpened = /^SQLITE_(?:CANTOPEN|READONLY)/

export const openStoreToRead = async (place: Place): Promise<OpenedStore> => {
  const { EVENT_STORE } = place
  if (EVENT_STORE !== 'sqlite') return connect(EVENT_STORE)
  checkLogFile(place)
  try {
    return openSqliteEventStore(logFileIn(place), 'read')
  } catch (error) {
    if (!(error instanceof Database.SqliteError && cannotBeOpened.test(error.code))) throw error
    throw new UnusableLog(
      'its log cannot be read without writing beside it, as any SQLite file with a write-ahead ' +
        'log: read a copy, in a folder that this user may write',
    )
  }
}

export const tables = projections.map(({ table }) => table)

/** Opens the read models, or new ones for a log that was copied here. @throws UnusableLog */
export const openReadModels = async (
  place: Place,
  store: EventStore,
  onBegunAnew: (foldedTo: Mark) => void = () => {},
): Promise<OpenReadModels> => {
  let readModels = openReadModelFile(readModelsIn(place), tables)
  for (;;) {
    const foldedTo = checkpointOf(readModels)
    const found = await placeOf(store, foldedTo)
    if (found === 'as seen') return readModels
    if (found === 'lost' && !place.acceptsLoss) {
      readModels.sqlite.close()
      throw new UnusableLog(lossOf(foldedTo, await store.head(), 'the read models hold'))
    }
    onBegunAnew(foldedTo)
    readModels = readModels.beginAnew()
  }
}

export const readModelMark = (place: Place): Mark => {
  const readModels = openReadModelFile(readModelsIn(place), tables)
  try {
    return checkpointOf(readModels)
  } finally {
    readModels.sqlite.close()
  }
}

export const buildReadModels = (place: Place) => buildReadModelFile(readModelsIn(place), tables)

/** New read models, separate from those in use. */
export const buildReadModelsIn = (directory: string) => buildReadModelFile(directory, tables)

/** The file of the current read models; undefined if this version has made none. */
export const currentReadModels = (place: Pick<Place, 'DATA_DIR'>): string | undefined =>
  currentFileIn(readModelsIn(place))
