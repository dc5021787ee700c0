import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../application/event-store.ts'
import { projections } from '../projections/all.ts'
import { connectEventStoreDB } from './eventstoredb-event-store.ts'
import { buildReadModelFile, openReadModelFile } from './read-model-file.ts'
import { settingShown, WrongSettings, type Settings } from './settings.ts'
import type { EventLog } from './sqlite-event-log.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

/** Where the data lies. */
export type Place = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR'>

const connect = (connectionString: string): EventStore => {
  try {
    return connectEventStoreDB(connectionString)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const shown = settingShown('EVENT_STORE', connectionString)
    throw new WrongSettings(`${shown}: must be a connection string: ${reason}`)
  }
}

/** The event store, and the log beneath it when that is a file of ours. */
export const openStore = ({
  EVENT_STORE,
  DATA_DIR,
}: Place): EventStore & { readonly log?: EventLog } => {
  mkdirSync(DATA_DIR, { recursive: true })
  return EVENT_STORE === 'sqlite'
    ? openSqliteEventStore(join(DATA_DIR, 'events.sqlite'))
    : connect(EVENT_STORE)
}

const directoryIn = ({ DATA_DIR }: Place): string => join(DATA_DIR, 'read-models')
const tables = projections.map(({ table }) => table)

export const openReadModels = (place: Place) => openReadModelFile(directoryIn(place), tables)

export const buildReadModels = (place: Place) => buildReadModelFile(directoryIn(place), tables)
