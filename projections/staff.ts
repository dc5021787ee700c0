import { asc, gt, isNull, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
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
      limit: given('limit'),
    })
  const [there, gone] = [of(isNull(staff.goneAt)), of(gt(staff.goneAt, given('since')))]
  return {
    ofPerson: (person: string, limit: number) => there.all({ person, limit }),
    /** Where somebody has ceased to work since then. */
    lately: (person: string, since: Instant, limit: number) => gone.all({ person, since, limit }),
  }
}
