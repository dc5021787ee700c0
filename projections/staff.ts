import { asc } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn, within } from '../domain/stream.ts'
import { given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

/** The merchants that somebody works for or is invited to. */
const staff = sqliteTable(
  'staff',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    member: text().notNull(),
    person: text().notNull(),
    hasJoined: integer({ mode: 'boolean' }).notNull(),
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
        return { key: String(key), merchant, member, person, hasJoined: false }
      }
      case 'StaffJoined':
        return row && { ...row, person: event.data.person, hasJoined: true }
      case 'StaffRemoved':
      case 'StaffLeft':
        return undefined
    }
  },
})

export const staffQueries = (db: BetterSQLite3Database) => {
  const of = rowsOf(db, staff, {
    where: [same(staff.person)],
    order: [asc(staff.merchant)],
    limit: given('limit'),
  })
  return { ofPerson: (person: string, limit: number) => of.all({ person, limit }) }
}
