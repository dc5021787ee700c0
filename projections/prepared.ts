import type Database from 'better-sqlite3'
import { getTableColumns, is, Param, Placeholder, type Query } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Values = Readonly<Record<string, unknown>>
type Value = (values: Values) => unknown
type Codec = readonly [name: string, decode: (value: never) => unknown]

/** The columns of a table whose values look different in the file. */
const codecsOf = (table: SQLiteTable): Codec[] =>
  Object.values(getTableColumns(table)).flatMap((column): Codec[] =>
    column.dataType === 'json' || column.dataType === 'boolean'
      ? [[column.name, (value) => column.mapFromDriverValue(value)]]
      : [],
  )

/** Makes rows of a table out of what the file holds, in place. */
export const decoderOf = (table: SQLiteTable) => {
  const codecs = codecsOf(table)
  return <Row>(stored: unknown): Row => {
    const row = stored as Record<string, unknown>
    for (const [name, decode] of codecs) {
      const value = row[name]
      if (value !== null && value !== undefined) row[name] = decode(value as never)
    }
    return row as Row
  }
}

const valueOf = (parameter: unknown): Value => {
  if (is(parameter, Placeholder)) return (values) => values[parameter.name]
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return () => parameter
  const { value, encoder } = parameter
  return (values) => encoder.mapToDriverValue(values[value.name])
}

/** A bare parameter as the limit makes SQLite compile the statement anew each time that it is bound. */
const withSteadyLimit = (text: string): string => text.replace(/limit \?$/, 'limit ? + 0')

/**
 * Prepares a query of columns of one table for the database itself: built once by the query builder, which then has no
 * part in each read of it.
 */
export const prepared = <Row>(
  db: BetterSQLite3Database,
  table: SQLiteTable,
  query: { toSQL(): Query; all(): Row[] },
) => {
  const { $client: client } = db as BetterSQLite3Database & { readonly $client: Database.Database }
  const { sql: text, params } = query.toSQL()
  const statement = client.prepare<unknown[]>(withSteadyLimit(text))
  const values = params.map(valueOf)
  const decode = decoderOf(table)
  const bound = (given: Values) => values.map((value) => value(given))
  return {
    get: (given: Values = {}): Row | undefined => {
      const row = statement.get(...bound(given))
      return row === undefined ? undefined : decode<Row>(row)
    },
    all: (given: Values = {}): Row[] => statement.all(...bound(given)).map(decode<Row>),
  }
}
