import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { EventType, Recorded } from '../domain/events.ts'
import type { Projection } from '../projections/projection.ts'
import type { ReadModelFile } from './read-model-file.ts'

const rowsKeptInMemory = 20_000

/** One table's prepared statements and the rows that a batch has touched. */
const tableOf = ({ sqlite, db }: ReadModelFile, { table, key, ...projection }: Projection) => {
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
  const upsert = sqlite.prepare(
    db
      .insert(table)
      .values(values as never)
      .onConflictDoUpdate({ target: key, set: excluded as never })
      .toSQL().sql,
  )
  const encoders = Object.entries(columns)
  /** What drizzle would hand to the driver, without looking for placeholders in every row. */
  const encoded = (row: object): unknown[] =>
    encoders.map(([name, column]) => {
      const value = (row as Record<string, unknown>)[name] ?? null
      return value === null ? null : column.mapToDriverValue(value)
    })
  const remove = db.delete(table).where(byKey).prepare()
  const rows = new Map<string | number, object | undefined>()
  const touched = new Set<string | number>()
  return {
    handles: projection.handles,
    fold(event: Recorded): void {
      const id = projection.keyOf(event)
      const before = rows.has(id) ? rows.get(id) : (select.get({ key: id }) as object | undefined)
      const after = projection.apply(before, event)
      rows.set(id, after)
      if (after !== before) touched.add(id)
    },
    write(): void {
      for (const id of touched) {
        const row = rows.get(id)
        if (row) upsert.run(encoded(row))
        else remove.run({ key: id })
      }
      touched.clear()
      if (rows.size > rowsKeptInMemory) rows.clear()
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
      for (const table of byType.get(event.type) ?? []) table.fold(event)
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
