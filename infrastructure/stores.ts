import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../application/event-store.ts'
import { projections } from '../projections/all.ts'
import { connectEventStoreDB } from './eventstoredb-event-store.ts'
import { buildReadModelFile, openReadModelFile } from './read-model-file.ts'
import type { Settings } from './settings.ts'
import type { EventLog } from './sqlite-event-log.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

/** Where the data lies. */
export type Place = Pick<Settings, 'EVENT_STORE' | 'DATA_DIR'>

/** The event store, and the log beneath it when that is a file of ours. */
export const openStore = ({
  EVENT_STORE,
  DATA_DIR,
}: Place): EventStore & { readonly log?: EventLog } => {
  // Its log says who paid whom, and what ids are made of.
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  return EVENT_STORE === 'sqlite'
    ? openSqliteEventStore(join(DATA_DIR, 'events.sqlite'))
    : connectEventStoreDB(EVENT_STORE)
}

const directoryIn = ({ DATA_DIR }: Place): string => join(DATA_DIR, 'read-models')
const tables = projections.map(({ table }) => table)

export const openReadModels = (place: Place) => openReadModelFile(directoryIn(place), tables)

export const buildReadModels = (place: Place) => buildReadModelFile(directoryIn(place), tables)
