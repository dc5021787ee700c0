import type { Statement } from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { recent, underWay } from '../../application/recent.ts'
import type { EventType, Recorded } from '../../domain/events.ts'
import type { TransactionLine } from '../../domain/transaction-line.ts'
import { decoderOf, isPlain } from '../../projections/prepared.ts'
import type { Key, Projection } from '../../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'

type Row = Readonly<Record<string, unknown>>

/** What the file holds of a row that this batch has changed, and what it is to hold. */
type Change = { readonly before: Row | undefined; after: Row | undefined }

const quoted = (name: string): string => `"${name}"`

/** Reads and writes rows of one table. */
const rowsOf = ({ sqlite }: ReadModelFile, { table, key }: Projection) => {
  const columns = Object.entries(getTableColumns(table))
  const name = quoted(getTableName(table))
  const names = columns.map(([, column]) => quoted(column.name))
  const ofKey = `WHERE ${quoted(key.name)} = ?`
  const select = sqlite.prepare<[Key]>(`SELECT ${names.join(', ')} FROM ${name} ${ofKey}`).raw()
  const insert = sqlite.prepare(
    `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = sqlite.prepare(`DELETE FROM ${name} ${ofKey}`)
  const updates = new Map<string, Statement>()
  const decode = decoderOf(
    table,
    columns.map(([, column]) => column.name),
  )

  const encoded = ([member, column]: (typeof columns)[number], row: Row): unknown => {
    const value = row[member] ?? null
    return value === null || isPlain(column) ? value : column.mapToDriverValue(value)
  }

  const updateOf = (assignments: string): Statement => {
    const known = updates.get(assignments)
    if (known) return known
    const update = sqlite.prepare(`UPDATE ${name} SET ${assignments} ${ofKey}`)
    updates.set(assignments, update)
    return update
  }

  /** An index costs as much as the row, and is only touched when a column of it is named. */
  const change = (id: Key, before: Row, after: Row): void => {
    let assignments = ''
    const values: unknown[] = []
    for (const entry of columns) {
      const [member, { name: column }] = entry
      if (after[member] === before[member]) continue
      assignments += `${assignments === '' ? '' : ', '}${quoted(column)} = ?`
      values.push(encoded(entry, after))
    }
    if (values.length > 0) updateOf(assignments).run(...values, id)
  }

  return {
    read: (id: Key): Row | undefined => {
      const stored = select.get(id)
      return stored === undefined ? undefined : decode<Row>(stored)
    },
    write: (id: Key, { before, after }: Change): void => {
      if (!after) remove.run(id)
      else if (before) change(id, before, after)
      else insert.run(...columns.map((entry) => encoded(entry, after)))
    },
  }
}

/** One table's prepared statements and the rows that a batch has touched. */
const tableOf = (file: ReadModelFile, projection: Projection) => {
  const { handles, begins, tell, lines, isAppended } = projection
  const { read, write } = rowsOf(file, projection)
  /** Null for a row that is not there: of most payments nobody is told by callback. */
  const remembered = recent<Key, Row | null>(underWay)
  const changes = new Map<Key, Change>()

  const find = (id: Key): Row | undefined => {
    const known = remembered.get(id)
    if (known !== undefined) return known ?? undefined
    const found = read(id)
    remembered.set(id, found ?? null)
    return found
  }

  /** Changes a row; answers it as it was. */
  const fold = (
    id: Key,
    mayBeThere: boolean,
    apply: (before: Row | undefined) => object | undefined,
  ): Row | undefined => {
    const change = changes.get(id)
    const before = change ? change.after : mayBeThere ? find(id) : undefined
    const after = apply(before) as Row | undefined
    if (change) change.after = after
    else if (after !== before) changes.set(id, { before, after })
    else if (!mayBeThere && !isAppended) remembered.set(id, null)
    return before
  }

  return {
    handles,
    foldsLines: lines !== null,
    /** Folds an event; answers the transaction line that it makes, if any. */
    fold(event: Recorded): TransactionLine | undefined {
      let line: TransactionLine | undefined
      const mayBeThere = !begins.has(event.type)
      for (const id of projection.keysOf(event)) {
        const before = fold(id, mayBeThere, (row) => projection.apply(row, event, id))
        line = tell?.(before, event) ?? line
      }
      return line
    },
    foldLine(line: TransactionLine): void {
      if (!lines) return
      for (const id of lines.keysOf(line))
        fold(id, !isAppended, (row) => lines.apply(row, line, id))
    },
    write(): void {
      for (const [id, change] of changes) {
        write(id, change)
        if (!isAppended) remembered.set(id, change.after ?? null)
      }
      changes.clear()
    },
    forget(): void {
      remembered.clear()
      changes.clear()
    },
  }
}

/** Folds events into the rows of all projections; rows and checkpoint change in one transaction per batch. */
export const makeProjector = (file: ReadModelFile, projections: readonly Projection[]) => {
  const { sqlite } = file
  const tables = projections.map((projection) => tableOf(file, projection))
  const ofLines = tables.filter(({ foldsLines }) => foldsLines)
  const byType = new Map<EventType, typeof tables>()
  for (const table of tables)
    for (const type of table.handles) byType.set(type, [...(byType.get(type) ?? []), table])
  const checkpoint = sqlite.prepare('SELECT position FROM checkpoint').pluck()
  const moveCheckpoint = sqlite.prepare(
    'UPDATE checkpoint SET position = ?, event = ?, stream = ?, revision = ?',
  )
  const readVersion = sqlite.prepare('PRAGMA data_version').pluck()
  let version: unknown

  const position = (): number => checkpoint.get() as number

  const transaction = sqlite.transaction((events: readonly Recorded[]) => {
    const current = readVersion.get()
    // Another process has written to the file: the rows remembered may be outdated.
    if (current !== version) for (const table of tables) table.forget()
    version = current
    const done = position()
    for (const event of events) {
      if (event.position <= done) continue
      for (const table of byType.get(event.type) ?? []) {
        const line = table.fold(event)
        if (line) for (const { foldLine } of ofLines) foldLine(line)
      }
    }
    for (const table of tables) table.write()
    const last = events.at(-1)
    if (last && last.position > done)
      moveCheckpoint.run(last.position, last.id, last.stream, last.revision)
  })

  const apply = (events: readonly Recorded[]): void => {
    try {
      transaction.immediate(events)
    } catch (error) {
      for (const table of tables) table.forget()
      throw error
    }
  }

  return { apply, position }
}
