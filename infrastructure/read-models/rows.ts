import type { Statement } from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { decoderOf, isPlain } from '../../projections/prepared.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import { type ReadModelFile, quoted } from './read-model-file.ts'

export type Row = Readonly<Record<string, unknown>>

/** `before` is the row in the file. */
export type Change = { readonly before: Row | undefined; after: Row | undefined }

/** Rows per statement: 16 take a third less time per row than one; more gain nothing. */
export const rowsPerStatement = 16

export type Writing = {
  readonly sql: string
  /** For `rowsPerStatement` rows. */
  readonly batchSql?: string
  /** Values per row. */
  readonly width: number
}

/** The values of all rows in sequence, plain so that they can be sent to another thread. */
export type Write = Writing & { readonly values: unknown[] }

/** Groups rows by statement. */
export const gatherWrites = () => {
  const writes = new Map<string, Write>()
  return {
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
    for (const { sql, batchSql, width, values } of writes) {
      let written = 0
      const write = (statement: Statement, size: number): void => {
        for (; written + size <= values.length; written += size)
          statement.run(...values.slice(written, written + size))
      }
      if (batchSql !== undefined) write(prepare(batchSql), rowsPerStatement * width)
      write(prepare(sql), width)
    }
  }
}

const repeated = (one: string, count = rowsPerStatement): string =>
  Array(count).fill(one).join(', ')

/** Reads rows of one table and prepares their changes. */
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
  const row = `(${repeated('?', columns.length)})`
  const insert: Writing = {
    sql: `INSERT INTO ${name} (${names}) VALUES ${row}`,
    batchSql: `INSERT INTO ${name} (${names}) VALUES ${repeated(row)}`,
    width: columns.length,
  }
  const remove: Writing = {
    sql: `DELETE FROM ${name} WHERE ${keyName} = ?`,
    batchSql: `DELETE FROM ${name} WHERE ${keyName} IN (${repeated('?')})`,
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

  /** The update of these columns; the key is the last value. */
  const updateOf = (changed: string): Writing => {
    const known = updates.get(changed)
    if (known) return known
    const assigned = changed.split(', ')
    const width = assigned.length + 1
    const assignments = (value: (at: number) => string): string =>
      assigned.map((column, at) => `${column} = ${value(at)}`).join(', ')
    const update: Writing = {
      sql: `UPDATE ${name} SET ${assignments(() => '?')} WHERE ${keyName} = ?`,
      batchSql: `UPDATE ${name} SET ${assignments((at) => `column${at + 1}`)}
        FROM (VALUES ${repeated(`(${repeated('?', width)})`)}) WHERE ${keyName} = column${width}`,
      width,
    }
    updates.set(changed, update)
    return update
  }

  /** Sets only changed columns: naming an indexed one costs as much as writing the whole row. */
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
