import { asc, desc, eq, ne } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { addUp, negated, type Sum } from '../domain/money/money.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

/** What merchants were billed for what they owed. */
const invoices = sqliteTable(
  'invoices',
  {
    id: text().primaryKey(),
    merchant: text().notNull(),
    position: integer().notNull(),
    at: integer().notNull(),
    currency: text().notNull(),
    amount: text().$type<Sum>().notNull(),
    /** What is neither paid in nor written off. */
    open: text().$type<Sum>().notNull(),
    /** The bank's day of the last payment. */
    paidOn: text(),
  },
  (row) => [index('invoices_by_merchant').on(row.merchant, row.position)],
)

export type InvoiceRow = typeof invoices.$inferSelect

export const invoiceProjection = projection({
  table: invoices,
  handles: ['DebtBilled', 'InvoicePaid', 'DebtWrittenOff'],
  begins: ['DebtBilled'],
  keysOf: ({ data: { invoiceId } }) => (invoiceId === undefined ? [] : [invoiceId]),
  apply: (row, { type, data, metadata, position }, key): InvoiceRow | undefined => {
    if (type === 'InvoicePaid')
      return row && { ...row, open: addUp(row.open, negated(data.amount)), paidOn: data.day }
    const amount = addUp(data.fees, data.refunds)
    if (type === 'DebtWrittenOff') return row && { ...row, open: addUp(row.open, negated(amount)) }
    const about = { id: String(key), merchant: metadata.merchant ?? '', position, at: metadata.at }
    return { ...about, currency: data.currency, amount, open: amount, paidOn: null }
  },
})

export const invoiceQueries = (db: BetterSQLite3Database) => {
  const { id, merchant, position, open } = invoices
  const unpaid = rowsOf(db, invoices, {
    where: [ne(open, '0')],
    order: [asc(position)],
    limit: param('limit'),
  })
  const paid = rowsOf(db, invoices, {
    where: [eq(open, '0')],
    order: [desc(position)],
    limit: param('limit'),
  })
  const own = rowsOf(db, invoices, {
    where: [same(merchant)],
    order: [desc(position)],
    limit: param('limit'),
  })
  return {
    find: findBy(db, invoices, id),
    /** Not paid in whole, oldest first. */
    unpaid: (limit: number) => unpaid.all({ limit }),
    /** Paid in whole, newest first. */
    paid: (limit: number) => paid.all({ limit }),
    /** Newest first. */
    list: (merchant: string, limit: number) => own.all({ merchant, limit }),
  }
}
