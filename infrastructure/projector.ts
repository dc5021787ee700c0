import type { Statement } from 'better-sqlite3'
import { eq, getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { EventType, Recorded } from '../domain/events.ts'
import type { TransactionLine } from '../domain/transaction-line.ts'
import type { Key, Projection } from '../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'

const rowsKeptInMemory = 20_000

type Row = Readonly<Record<string, unknown>>

/** Writes rows of one table. */
const writerOf = ({ sqlite, db }: ReadModelFile, { table, key }: Projection) => {
  const columns = Object.entries(getTableColumns(table))
  const values = Object.fromEntries(columns.map(([name]) => [name, sql.placeholder(name)]))
  const insert = sqlite.prepare(
    db
      .insert(table)
      .values(values as never)
      .toSQL().sql,
  )
  const remove = db
    .delete(table)
    .where(eq(key, sql.placeholder('key')))
    .prepare()
  const updates = new Map<string, Statement>()

  const encoded = ([name, column]: (typeof columns)[number], row: Row): unknown => {
    const value = row[name] ?? null
    return value === null ? null : column.mapToDriverValue(value)
  }

  const updateOf = (changed: typeof columns): Statement => {
    const names = changed.map(([, column]) => `"${column.name}" = ?`).join(', ')
    const known = updates.get(names)
    if (known) return known
    const update = sqlite.prepare(
      `UPDATE "${getTableName(table)}" SET ${names} WHERE "${key.name}" = ?`,
    )
    updates.set(names, update)
    return update
  }

  /** Makes the file hold the row, which it holds as `stored`. */
  return (id: Key, stored: Row | undefined, row: Row | undefined): void => {
    if (!row) return void remove.run({ key: id })
    if (!stored) return void insert.run(columns.map((column) => encoded(column, row)))
    // An index costs as much as the row, and is only touched when a column of it is named.
    const changed = columns.filter(([name]) => row[name] !== stored[name])
    if (changed.length > 0)
      updateOf(changed).run(...changed.map((column) => encoded(column, row)), id)
  }
}

/** One table's prepared statements and the rows that a batch has touched. */
const tableOf = (file: ReadModelFile, projection: Projection) => {
  const { table, key, handles, tell, lines, isAppended } = projection
  const select = file.db
    .select()
    .from(table)
    .where(eq(key, sql.placeholder('key')))
    .prepare()
  const writeRow = writerOf(file, projection)
  const rows = new Map<Key, Row | undefined>()
  /** What the file holds of the rows that this batch has changed. */
  const stored = new Map<Key, Row | undefined>()

  const find = (id: Key): Row | undefined =>
    isAppended || rows.has(id) ? rows.get(id) : (select.get({ key: id }) as Row | undefined)

  const keep = (id: Key, before: Row | undefined, after: object | undefined): void => {
    rows.set(id, after as Row | undefined)
    if (after !== before && !stored.has(id)) stored.set(id, before)
  }

  return {
    handles,
    foldsLines: lines !== null,
    /** Folds an event; answers the transaction line that it makes, if any. */
    fold(event: Recorded): TransactionLine | undefined {
      let line: TransactionLine | undefined
      for (const id of projection.keysOf(event)) {
        const before = find(id)
        keep(id, before, projection.apply(before, event, id))
        line = tell?.(before, event) ?? line
      }
      return line
    },
    foldLine(line: TransactionLine): void {
      if (!lines) return
      for (const id of lines.keysOf(line)) {
        const before = find(id)
        keep(id, before, lines.apply(before, line, id))
      }
    },
    write(): void {
      for (const [id, before] of stored) writeRow(id, before, rows.get(id))
      stored.clear()
      if (isAppended || rows.size > rowsKeptInMemory) rows.clear()
    },
    forget(): void {
      rows.clear()
      stored.clear()
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
  const moveCheckpoint = sqlite.prepare('UPDATE checkpoint SET position = ?')
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
    if (last && last.position > done) moveCheckpoint.run(last.position)
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

export type Projector = ReturnType<typeof makeProjector>
