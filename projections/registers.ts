import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventType, Recorded } from '../domain/events.ts'
import { integrator } from '../domain/merchant/integrator.ts'
import { merchant } from '../domain/merchant/merchant.ts'
import { pos } from '../domain/merchant/pos.ts'
import { shortlink } from '../domain/merchant/shortlink.ts'
import { signingKey } from '../domain/merchant/signing-key.ts'
import { user } from '../domain/merchant/user.ts'
import { application } from '../domain/people/application.ts'
import type { Entry } from '../domain/register.ts'
import { findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

type Register<Data> = {
  readonly name: string
  readonly events: object
  readonly decider: { readonly initial: Entry<Data> }
}

/** Read model of a register: its present entries, in the order in which they were made. */
const registerProjection = <Data extends object>(
  tableName: string,
  { name, events }: Register<Data>,
) => {
  const table = sqliteTable(
    tableName,
    {
      stream: text().primaryKey(),
      /** Position of the registration: the order of lists, and their cursor. */
      position: integer().notNull(),
      merchant: text(),
      data: text({ mode: 'json' }).$type<Data>().notNull(),
    },
    (row) => [index(`${tableName}_by_merchant`).on(row.merchant, row.position)],
  )
  const removed = `${name}Removed`
  return projection({
    table,
    key: table.stream,
    handles: Object.keys(events) as EventType[],
    keyOf: ({ stream }) => stream,
    apply: (row, event: Recorded) => {
      if (event.type === removed) return undefined
      const { stream, position, metadata } = event
      const data = event.data as Data
      return row ? { ...row, data } : { stream, position, merchant: metadata.merchant, data }
    },
  })
}

export const merchantProjection = registerProjection('merchants', merchant)
export const userProjection = registerProjection('users', user)
export const posProjection = registerProjection('poses', pos)
export const applicationProjection = registerProjection('applications', application)
export const signingKeyProjection = registerProjection('signing_keys', signingKey)
export const integratorProjection = registerProjection('integrators', integrator)
export const shortlinkProjection = registerProjection('shortlinks', shortlink)

type RegisterProjection<Data extends object> = ReturnType<typeof registerProjection<Data>>

/** Finding one entry by its stream, and listing those of a merchant, newest first. */
export const registerQueries = <Data extends object>(
  db: BetterSQLite3Database,
  { table }: RegisterProjection<Data>,
) => {
  type Row = RegisterProjection<Data>['table']['$inferSelect']
  const page = prepared(
    db,
    table,
    db
      .select()
      .from(table)
      .where(
        and(
          eq(table.merchant, sql.placeholder('merchant')),
          lt(table.position, sql.placeholder('before')),
        ),
      )
      .orderBy(desc(table.position))
      .limit(sql.placeholder('limit')),
  )
  const all = prepared(db, table, db.select().from(table).orderBy(table.position))
  return {
    find: findBy(db, table, table.stream),
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }) as Row[],
    all: () => all.all() as Row[],
  }
}
