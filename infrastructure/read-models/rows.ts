import type { Statement } from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { decoderOf, isPlain } from '../../projections/prepared.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { quoted } from './read-model-schema.ts'

export type Row = Readonly<Record<string, unknown>>

/** What the file holds of a row that a batch has changed, and what it is to hold. */
export type Change = { readonly before: Row | undefined; after: Row | undefined }

/** Rows that one run writes together: each takes some third less than alone, and of more none would take less. */
const rowsTogether = 16

/** How rows of one kind are written. */
export type Writing = {
  /** For one row. */
  readonly sql: string
  /** For `rowsTogether` of them, where there may be so many. */
  readonly together?: string
  /** How many values a row takes. */
  readonly width: number
}

/** With the values of all rows, one after the other; of plain values, so that another thread may do it. */
export type Write = Writing & { readonly values: unknown[] }

/** Gathers what is to be written in each way. */
export const gatherWrites = () => {
  const writes = new Map<string, Write>()
  return {
    /** Where the values of one more row are put. */
    valuesOf: (writing: Writing): unknown[] => {
      const known = writes.get(writing.sql)
      if (known) return known.values
      const values: unknown[] = []
      writes.set(writing.sql, { ...writing, values })
      return values
    },
    all: (): readonly Write[] => [...writes.values()],
  }
}

export type GatheredWrites = ReturnType<typeof gatherWrites>

/** Writes what was gathered. */
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
    for (const { sql, together, width, values } of writes) {
      let written = 0
      const write = (statement: Statement, size: number): void => {
        for (; written + size <= values.length; written += size)
          statement.run(...values.slice(written, written + size))
      }
      if (together !== undefined) write(prepare(together), rowsTogether * width)
      write(prepare(sql), width)
    }
  }
}

const several = (one: string, count = rowsTogether): string => Array(count).fill(one).join(', ')

/** Reads rows of one table, and says how changes of them are written. */
export const rowsOf = ({ sqlite }: ReadModelFile, { table, key }: Projection) => {
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => ({
    member,
    name: quoted(column.name),
    encode: isPlain(column) ? undefined : (value: unknown) => column.mapToDriverValue(value),
  }))
  const name = quoted(getTableName(table))
  const names = columns.map(({ name }) => name).join(', ')
  const keyName = `${name}.${quoted(key.name)}`
  const select = sqlite.prepare<[Key]>(`SELECT ${names} FROM ${name} WHERE ${keyName} = ?`).raw()
  const row = `(${several('?', columns.length)})`
  const insert: Writing = {
    sql: `INSERT INTO ${name} (${names}) VALUES ${row}`,
    together: `INSERT INTO ${name} (${names}) VALUES ${several(row)}`,
    width: columns.length,
  }
  const remove: Writing = {
    sql: `DELETE FROM ${name} WHERE ${keyName} = ?`,
    together: `DELETE FROM ${name} WHERE ${keyName} IN (${several('?')})`,
    width: 1,
  }
  const updates = new Map<string, Writing>()
  const decode = decoderOf(
    table,
    Object.values(getTableColumns(table)).map((column) => column.name),
  )

  const encoded = ({ member, encode }: (typeof columns)[number], row: Row): unknown => {
    const value = row[member] ?? null
    return value === null || !encode ? value : encode(value)
  }

  /** Changes these columns of the row under a key, which comes last. */
  const updateOf = (changed: string): Writing => {
    const known = updates.get(changed)
    if (known) return known
    const assigned = changed.split(', ')
    const width = assigned.length + 1
    const assignments = (value: (at: number) => string): string =>
      assigned.map((column, at) => `${column} = ${value(at)}`).join(', ')
    const update: Writing = {
      sql: `UPDATE ${name} SET ${assignments(() => '?')} WHERE ${keyName} = ?`,
      together: `UPDATE ${name} SET ${assignments((at) => `column${at + 1}`)}
        FROM (VALUES ${several(`(${several('?', width)})`)}) WHERE ${keyName} = column${width}`,
      width,
    }
    updates.set(changed, update)
    return update
  }

  /** An index costs as much as the row, and is only touched when a column of it is named. */
  const change = (id: Key, before: Row, after: Row, writes: GatheredWrites): void => {
    let changed = ''
    const values: unknown[] = []
    for (const column of columns) {
      if (after[column.member] === before[column.member]) continue
      changed += `${changed === '' ? '' : ', '}${column.name}`
      values.push(encoded(column, after))
    }
    if (values.length === 0) return
    writes.valuesOf(updateOf(changed)).push(...values, id)
  }

  return {
    read: (id: Key): Row | undefined => {
      const stored = select.get(id)
      return stored === undefined ? undefined : decode<Row>(stored)
    },
    write: (id: Key, { before, after }: Change, writes: GatheredWrites): void => {
      if (!after) writes.valuesOf(remove).push(id)
      else if (before) change(id, before, after, writes)
      else {
        const values = writes.valuesOf(insert)
        for (const column of columns) values.push(encoded(column, after))
      }
    },
  }
}
