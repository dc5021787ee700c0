import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { EventType, Recorded } from '../domain/events.ts'
import type { TransactionLine } from '../domain/transaction-line.ts'
import type { Key, Projection } from '../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'

const rowsKeptInMemory = 20_000

/** One table's prepared statements and the rows that a batch has touched. */
const tableOf = ({ db, sqlite }: ReadModelFile, { table, key, ...projection }: Projection) => {
  const columns = getTableColumns(table)
  const keyName = Object.keys(columns).find((name) => columns[name] === key) ?? key.name
  const byKey = eq(key, sql.placeholder('key'))
  const values = Object.fromEntries(
    Object.keys(columns).map((name) => [name, sql.placeholder(name)]),
  )
  const excluded = Object.fromEntries(
    Object.entries(columns)
      .filter(([name]) => name !== keyName)
      .map(([name, column]) => [name, sql.raw(`excluded."${column.name}"`)]),
  )
  const select = db.select().from(table).where(byKey).prepare()
  const upsert = db
    .insert(table)
    .values(values as never)
    .onConflictDoUpdate({ target: key, set: excluded as never })
    .toSQL()
  // Bound by hand: the query builder looks at every value of every row again, at the price of the insert itself.
  const insert = sqlite.prepare(upsert.sql)
  const bound = Object.entries(columns)
  const encoded = (row: Readonly<Record<string, unknown>>): unknown[] => {
    const cells = new Array<unknown>(bound.length)
    for (let index = 0; index < bound.length; index++) {
      const [name = '', column] = bound[index] ?? []
      const value = row[name]
      cells[index] = value == null ? null : column?.mapToDriverValue(value)
    }
    return cells
  }
  const remove = db.delete(table).where(byKey).prepare()
  const { handles, tell, lines, isAppended } = projection
  const rows = new Map<Key, object | undefined>()
  const touched = new Set<Key>()

  const find = (id: Key): object | undefined =>
    isAppended || rows.has(id) ? rows.get(id) : (select.get({ key: id }) as object | undefined)

  const keep = (id: Key, before: object | undefined, after: object | undefined): void => {
    rows.set(id, after)
    if (after !== before) touched.add(id)
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
      for (const id of touched) {
        const row = rows.get(id)
        if (row) insert.run(encoded(row as Record<string, unknown>))
        else remove.run({ key: id })
      }
      touched.clear()
      if (isAppended || rows.size > rowsKeptInMemory) rows.clear()
    },
    forget(): void {
      rows.clear()
      touched.clear()
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
