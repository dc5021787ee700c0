import { desc, lt, asc, gt, isNull, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventType, Recorded } from '../domain/events.ts'
import { merchant } from '../domain/merchant/merchant.ts'
import { pos } from '../domain/merchant/pos.ts'
import { shortlink } from '../domain/merchant/registers.ts'
import type { Entry } from '../domain/register.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'
import { idIn, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'

/** The merchants that somebody works for or is invited to. */
export const staff = sqliteTable(
  'staff',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    member: text().notNull(),
    person: text().notNull(),
    hasJoined: integer({ mode: 'boolean' }).notNull(),
    /** Null for whoever is there. */
    goneAt: integer(),
  },
  (row) => [index('staff_by_person').on(row.person, row.merchant)],
)

export const staffProjection = projection({
  table: staff,
  handles: ['StaffInvited', 'StaffJoined', 'StaffRemoved', 'StaffLeft'],
  keyOf: ({ stream, data }) => within(idIn(stream), data.member),
  apply: (row, event, key) => {
    const merchant = idIn(event.stream)
    switch (event.type) {
      case 'StaffInvited': {
        const { member, person } = event.data
        return { key: String(key), merchant, member, person, hasJoined: false, goneAt: null }
      }
      case 'StaffJoined':
        return row && { ...row, person: event.data.person, hasJoined: true }
      case 'StaffRemoved':
      case 'StaffLeft':
        return row && { ...row, hasJoined: false, goneAt: event.metadata.at }
    }
  },
})

export const staffQueries = (db: BetterSQLite3Database) => {
  const of = (isThere: SQL) =>
    rowsOf(db, staff, {
      where: [same(staff.person), isThere],
      order: [asc(staff.merchant)],
      limit: param('limit'),
    })
  const [there, gone] = [of(isNull(staff.goneAt)), of(gt(staff.goneAt, param('since')))]
  return {
    ofPerson: (person: string, limit: number) => there.all({ person, limit }),
    /** Where somebody has ceased to work since then. */
    lately: (person: string, since: Instant, limit: number) => gone.all({ person, since, limit }),
  }
}

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
    where: [same(table.merchant), lt(table.position, param('before'))],
    order: [desc(table.position)],
    limit: param('limit'),
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

export const shortlinkRegister = registerReadModel('shortlinks', shortlink)
