import { getTableConfig, SQLiteSyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { noStream, start } from '../../application/event-store.ts'

/** Quotes an SQL identifier. */
export const quoted = (name: string): string => `"${name}"`

const columnsOf = (columns: readonly object[]): string =>
  columns.map((column) => quoted((column as { name: string }).name)).join(', ')

const tableStatement = (table: SQLiteTable): string => {
  const { name, columns } = getTableConfig(table)
  const lines = columns.map((column) => {
    const rules = `${column.primary ? ' PRIMARY KEY' : ''}${column.notNull ? ' NOT NULL' : ''}`
    return `${quoted(column.name)} ${column.getSQLType()}${rules}`
  })
  return `CREATE TABLE IF NOT EXISTS ${quoted(name)} (${lines.join(', ')}) STRICT`
}

const dialect = new SQLiteSyncDialect()

const indexesOf = (table: SQLiteTable): string[] => {
  const { name, indexes } = getTableConfig(table)
  return indexes.map(({ config }) => {
    const condition = config.where ? ` WHERE ${dialect.sqlToQuery(config.where).sql}` : ''
    const place = `${quoted(name)} (${columnsOf(config.columns)})`
    return `CREATE INDEX IF NOT EXISTS ${quoted(config.name)} ON ${place}${condition}`
  })
}

/** The last folded event; none in an empty file. */
const checkpointStatements = [
  `CREATE TABLE IF NOT EXISTS checkpoint (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     position INTEGER NOT NULL,
     event TEXT NOT NULL,
     stream TEXT NOT NULL,
     revision INTEGER NOT NULL
   ) STRICT`,
  `INSERT OR IGNORE INTO checkpoint VALUES (1, ${start}, '', '', ${noStream})`,
]

/** The Merkle tree of the log; `first` and `positions` locate the events of level 0 tiles. */
const treeStatements = [
  `CREATE TABLE IF NOT EXISTS tiles (
     level INTEGER NOT NULL,
     number INTEGER NOT NULL,
     first INTEGER,
     hashes BLOB NOT NULL,
     positions BLOB,
     PRIMARY KEY (level, number)
   ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS tiles_by_position ON tiles (first) WHERE level = 0',
]

/** The log's position at each of its times. */
const momentStatement = `CREATE TABLE IF NOT EXISTS moments (
  at INTEGER PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT`

export const tableStatements = (tables: readonly SQLiteTable[]): string[] => [
  ...tables.map(tableStatement),
  ...checkpointStatements,
  ...treeStatements,
  momentStatement,
]

export const indexStatements = (tables: readonly SQLiteTable[]): string[] =>
  tables.flatMap(indexesOf)
