import { getTableConfig, SQLiteSyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noStream, start } from '../../application/event-store.ts'

/** A name of a table, column or index in SQL. */
export const quoted = (name: string): string => `"${name}"`

const columnsOf = (columns: readonly object[]): string =>
  columns.map((column) => quoted((column as { name: string }).name)).join(', ')

const tableStatement = (table: SQLiteTable): string => {
  const { name, columns } = getTableConfig(table)
  const lines = columns.map(
    (column) =>
      `${quoted(column.name)} ${column.getSQLType()}${column.primary ? ' PRIMARY KEY' : ''}${column.notNull ? ' NOT NULL' : ''}`,
  )
  return `CREATE TABLE IF NOT EXISTS ${quoted(name)} (${lines.join(', ')}) STRICT`
}

const dialect = new SQLiteSyncDialect()

const indexesOf = (table: SQLiteTable): string[] => {
  const { name, indexes } = getTableConfig(table)
  return indexes.map(({ config }) => {
    const condition = config.where ? ` WHERE ${dialect.sqlToQuery(config.where).sql}` : ''
    return `CREATE INDEX IF NOT EXISTS ${quoted(config.name)} ON ${quoted(name)} (${columnsOf(config.columns)})${condition}`
  })
}

/** The event up to which the log is folded; none in an empty file. */
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

/** The statements that make the tables and the checkpoint, unless they are there. */
export const tableStatements = (tables: readonly SQLiteTable[]): string[] => [
  ...tables.map(tableStatement),
  ...checkpointStatements,
]

/** The statements that make the indexes of tables, unless they are there. */
export const indexStatements = (tables: readonly SQLiteTable[]): string[] =>
  tables.flatMap(indexesOf)

/**
 * Changes whenever the code that folds events into rows changes, which is all of `domain`, `projections` and this
 * folder.
 */
export const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const folder of ['domain', 'projections', 'infrastructure/read-models']) {
    const path = fileURLToPath(new URL(`../../${folder}/`, import.meta.url))
    const sources = readdirSync(path, { recursive: true, encoding: 'utf8' })
    for (const file of sources.filter((name) => /\.[jt]s$/.test(name)).sort())
      hash.update(file).update(readFileSync(join(path, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
