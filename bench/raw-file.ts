import Database from '../infrastructure/sqlite.ts'

/**
 * A file with these tables, as durable as the event log, and with the same checkpoint threshold.
 */
export const openRawFile = (file: string, tables: string): Database.Database => {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('wal_autocheckpoint = 4000')
  database.pragma('cache_size = -65536')
  database.exec(tables)
  return database
}

export const textTable = 'CREATE TABLE rows (id INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT'

/** The minimal schema for a log of events by stream. */
export const eventTables = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL,
    id BLOB NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT`

/** Commits batches of rows for some seconds; returns rows per second. */
export const commitInGroups = (
  database: Database.Database,
  group: number,
  seconds: number,
  insertRow: () => void,
): number => {
  let count = 0
  const commit = database.transaction(() => {
    for (let row = 0; row < group; row++) insertRow()
  })
  const from = performance.now()
  for (; performance.now() < from + seconds * 1000; count += group) commit.immediate()
  return (count / (performance.now() - from)) * 1000
}
