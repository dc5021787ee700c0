import type { Statement } from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { decoderOf, isPlain } from '../../projections/prepared.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { quoted } from './read-model-schema.ts'

export type Row = Readonly<Record<string, unknown>>

/** What the file holds of a row that a batch has changed, and what it is to hold. */
export type Change = { readonly before: Row | undefined; after: Row | undefined }

/** A statement with the values of all its runs, one after the other; of plain values, so that another thread may run it. */
export type Write = {
  readonly sql: string
  /** How many values one run takes. */
  readonly width: number
  readonly values: unknown[]
}

/** Gathers the runs of each statement. */
export const gatherWrites = () => {
  const writes = new Map<string, Write>()
  return {
    /** Where the values of one more run are put. */
    valuesOf: (sql: string, width: number): unknown[] => {
      const known = writes.get(sql)
      if (known) return known.values
      const values: unknown[] = []
      writes.set(sql, { sql, width, values })
      return values
    },
    all: (): readonly Write[] => [...writes.values()],
  }
}

export type GatheredWrites = ReturnType<typeof gatherWrites>

/** Runs what was gathered. */
export const makeWriter = ({ sqlite }: ReadModelFile) => {
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known) return known
    const statement = sqlite.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return (writes: readonly Write[]): void => {
    for (const { sql, width, values } of writes) {
      const statement = prepare(sql)
      for (let run = 0; run < values.length; run += width)
        statement.run(...values.slice(run, run + width))
    }
  }
}

/** Reads rows of one table, and says how changes of them are written. */
export const rowsOf = ({ sqlite }: ReadModelFile, { table, key }: Projection) => {
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => ({
    member,
    name: quoted(column.name),
    encode: isPlain(column) ? undefined : (value: unknown) => column.mapToDriverValue(value),
  }))
  const name = quoted(getTableName(table))
  const names = columns.map(({ name }) => name).join(', ')
  const ofKey = `WHERE ${quoted(key.name)} = ?`
  const select = sqlite.prepare<[Key]>(`SELECT ${names} FROM ${name} ${ofKey}`).raw()
  const insert = `INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`
  const remove = `DELETE FROM ${name} ${ofKey}`
  const updates = new Map<string, string>()
  const decode = decoderOf(
    table,
    Object.values(getTableColumns(table)).map((column) => column.name),
  )

  const encoded = ({ member, encode }: (typeof columns)[number], row: Row): unknown => {
    const value = row[member] ?? null
    return value === null || !encode ? value : encode(value)
  }

  const updateOf = (assignments: string): string => {
    const known = updates.get(assignments)
    if (known !== undefined) return known
    const update = `UPDATE ${name} SET ${assignments} ${ofKey}`
    updates.set(assignments, update)
    return update
  }

  /** An index costs as much as the row, and is only touched when a column of it is named. */
  const change = (id: Key, before: Row, after: Row, writes: GatheredWrites): void => {
    let assignments = ''
    const values: unknown[] = []
    for (const column of columns) {
      if (after[column.member] === before[column.member]) continue
      assignments += `${assignments === '' ? '' : ', '}${column.name} = ?`
      values.push(encoded(column, after))
    }
    if (values.length === 0) return
    writes.valuesOf(updateOf(assignments), values.length + 1).push(...values, id)
  }

  return {
    read: (id: Key): Row | undefined => {
      const stored = select.get(id)
      return stored === undefined ? undefined : decode<Row>(stored)
    },
    write: (id: Key, { before, after }: Change, writes: GatheredWrites): void => {
      if (!after) writes.valuesOf(remove, 1).push(id)
      else if (before) change(id, before, after, writes)
      else {
        const values = writes.valuesOf(insert, columns.length)
        for (const column of columns) values.push(encoded(column, after))
      }
    },
  }
}
