import { desc, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventType, Recorded } from '../domain/events.ts'
import { merchant } from '../domain/merchant/merchant.ts'
import { pos } from '../domain/merchant/pos.ts'
import type { Entry } from '../domain/register.ts'
import { findBy, given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

type Register<Data> = {
  readonly name: string
  readonly events: object
  readonly decider: { readonly initial: Entry<Data> }
}

/** The present entries of a register, in order of registration. */
const registerProjection = <Data extends object>(
  tableName: string,
  { name, events }: Register<Data>,
) => {
  const table = sqliteTable(
    tableName,
    {
      stream: text().primaryKey(),
      /** Position of the registration; orders lists and serves as cursor. */
      position: integer().notNull(),
      merchant: text(),
      data: text({ mode: 'json' }).$type<Data>().notNull(),
      isDisabled: integer({ mode: 'boolean' }).notNull(),
    },
    (row) => [index(`${tableName}_by_merchant`).on(row.merchant, row.position)],
  )
  const removed = `${name}Removed`
  const switches: ReadonlyMap<string, boolean> = new Map([
    [`${name}Disabled`, true],
    [`${name}Enabled`, false],
  ])
  return projection({
    table,
    handles: Object.keys(events) as EventType[],
    keyOf: ({ stream }) => stream,
    apply: (row, event: Recorded) => {
      if (event.type === removed) return undefined
      const isDisabled = switches.get(event.type)
      if (isDisabled !== undefined) return row && { ...row, isDisabled }
      const { stream, position, metadata } = event
      const data = event.data as Data
      if (row) return { ...row, data }
      return { stream, position, merchant: metadata.merchant, data, isDisabled: false }
    },
  })
}

type RegisterProjection<Data extends object> = ReturnType<typeof registerProjection<Data>>

/** Finds an entry by stream, and lists a merchant's entries, newest first. */
const registerQueries = <Data extends object>(
  db: BetterSQLite3Database,
  { table }: RegisterProjection<Data>,
) => {
  type Row = RegisterProjection<Data>['table']['$inferSelect']
  const page = rowsOf(db, table, {
    where: [same(table.merchant), lt(table.position, given('before'))],
    order: [desc(table.position)],
    limit: given('limit'),
  })
  const all = rowsOf(db, table, { order: [table.position] })
  return {
    find: findBy(db, table, table.stream),
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }) as Row[],
    all: () => all.all() as Row[],
  }
}

export const registerReadModel = <Data extends object>(
  tableName: string,
  register: Register<Data>,
) => {
  const projection = registerProjection(tableName, register)
  const queries = (db: BetterSQLite3Database) => registerQueries(db, projection)
  return { projections: [projection], queries, projection }
}

export const merchantRegister = registerReadModel('merchants', merchant)
export const posRegister = registerReadModel('points_of_sale', pos)
