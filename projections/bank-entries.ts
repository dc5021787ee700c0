import { asc, eq, gt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Match, SeenEntry } from '../domain/accounting/bank-entry.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, given, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

const bankEntries = sqliteTable(
  'bank_entries',
  {
    id: text().primaryKey(),
    position: integer().notNull(),
    entry: text({ mode: 'json' }).$type<SeenEntry>().notNull(),
    /** Null while it matches no payout. */
    match: text({ mode: 'json' }).$type<Match>(),
    /** The operator's explanation. */
    note: text(),
    /** Whether it still needs an explanation. */
    isOpen: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [index('bank_entries_open').on(row.isOpen, row.position)],
)

export const bankEntryProjection = projection({
  table: bankEntries,
  handles: ['BankEntrySeen', 'BankEntryMatched', 'BankEntryDismissed'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event, key) => {
    switch (event.type) {
      case 'BankEntrySeen': {
        const { position, data: entry } = event
        return { id: String(key), position, entry, match: null, note: null, isOpen: true }
      }
      case 'BankEntryMatched':
        return row && { ...row, match: event.data, isOpen: false }
      case 'BankEntryDismissed':
        return row && { ...row, note: event.data.note, isOpen: false }
    }
  },
})

export const bankEntryQueries = (db: BetterSQLite3Database) => {
  const open = rowsOf(db, bankEntries, {
    where: [eq(bankEntries.isOpen, true), gt(bankEntries.position, given('after'))],
    order: [asc(bankEntries.position)],
    limit: given('limit'),
  })
  return {
    find: findBy(db, bankEntries, bankEntries.id),
    /** Unexplained entries, oldest first. */
    open: (limit: number) => open.all({ after: 0, limit }),
    openAfter: (after: number, limit: number) => open.all({ after, limit }),
  }
}
