import { asc, eq, gt, or, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Match, SeenEntry } from '../domain/accounting/bank-entry.ts'
import { messageOfPayment } from '../domain/accounting/payout-events.ts'
import { idIn } from '../domain/stream.ts'
import { countOf, findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

const bankEntries = sqliteTable(
  'bank_entries',
  {
    id: text().primaryKey(),
    position: integer().notNull(),
    entry: text({ mode: 'json' }).$type<SeenEntry>().notNull(),
    /** The names by which the bank refers to a payout. */
    endToEndId: text(),
    messageId: text(),
    paymentMessage: text(),
    /** Null while it matches no payout. */
    match: text({ mode: 'json' }).$type<Match>(),
    /** The operator's explanation. */
    note: text(),
    /** Whether it still needs an explanation. */
    isOpen: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [
    index('bank_entries_open').on(row.isOpen, row.position),
    index('bank_entries_by_order').on(row.endToEndId),
    index('bank_entries_by_message').on(row.messageId),
    index('bank_entries_by_payment').on(row.paymentMessage),
  ],
)

export const bankEntryProjection = projection({
  table: bankEntries,
  handles: ['BankEntrySeen', 'BankEntryMatched', 'BankEntryDismissed'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event, key) => {
    switch (event.type) {
      case 'BankEntrySeen': {
        const { position, data: entry } = event
        const { endToEndId, messageId, paymentId } = entry
        const paymentMessage = paymentId === undefined ? null : messageOfPayment(paymentId)
        const names = { endToEndId, messageId, paymentMessage }
        const isOpen = entry.problem !== 'known_already'
        return { id: String(key), position, entry, ...names, match: null, note: null, isOpen }
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
    where: [eq(bankEntries.isOpen, true), gt(bankEntries.position, param('after'))],
    order: [asc(bankEntries.position)],
    limit: param('limit'),
  })
  const ofOrder = rowsOf(db, bankEntries, { where: [same(bankEntries.endToEndId)] })
  const ofMessage = rowsOf(db, bankEntries, {
    where: [
      or(
        eq(bankEntries.messageId, param('message')),
        eq(bankEntries.paymentMessage, param('message')),
      ),
    ],
  })
  return {
    ofOrder: (endToEndId: string) => ofOrder.all({ endToEndId }),
    ofMessage: (message: string) => ofMessage.all({ message }),
    /** Money that left the account without being one payout once. */
    openDebits: countOf(
      db,
      bankEntries,
      sql`${bankEntries.isOpen} = 1 AND json_extract(${bankEntries.entry}, '$.side') = 'debit'`,
    ),
    find: findBy(db, bankEntries, bankEntries.id),
    /** Unexplained entries, oldest first. */
    open: (limit: number) => open.all({ after: 0, limit }),
    openAfter: (after: number, limit: number) => open.all({ after, limit }),
  }
}
