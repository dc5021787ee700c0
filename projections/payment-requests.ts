import { and, eq, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PaymentDetails, PaymentRequest } from '../domain/payment-events.ts'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Each payment request as the merchant made it, and as amended since. */
const paymentRequests = sqliteTable('payment_requests', {
  stream: text().primaryKey(),
  merchant: text().notNull(),
  request: text({ mode: 'json' }).$type<PaymentRequest>().notNull(),
  details: text({ mode: 'json' }).$type<PaymentDetails>().notNull(),
  /** When the wait for the payer ends. */
  expiresAt: integer().notNull(),
  payer: text(),
})

export type PaymentRequestRow = typeof paymentRequests.$inferSelect

export const paymentRequestProjection = projection({
  table: paymentRequests,
  key: paymentRequests.stream,
  handles: ['PaymentRequested', 'PaymentPickedUp', 'PaymentAmended'],
  begins: ['PaymentRequested'],
  keyOf: ({ stream }) => stream,
  apply: (row, event) => {
    if (event.type === 'PaymentAmended') return row && { ...row, details: event.data }
    if (event.type === 'PaymentPickedUp') return row && { ...row, payer: event.data.payer }
    const { request, expiresAt, payer } = event.data
    const { merchant, ledger, callbackUri, displayMessageUri, links, lineItems } = request
    const details = { ledger, callbackUri, displayMessageUri, links, lineItems }
    return { stream: event.stream, merchant, request, details, expiresAt, payer }
  },
})

export const paymentRequestQueries = (db: BetterSQLite3Database) => {
  const find = prepared(
    db,
    paymentRequests,
    db
      .select()
      .from(paymentRequests)
      .where(
        and(
          eq(paymentRequests.stream, sql.placeholder('stream')),
          eq(paymentRequests.merchant, sql.placeholder('merchant')),
        ),
      ),
  )
  const findAny = prepared(
    db,
    paymentRequests,
    db
      .select()
      .from(paymentRequests)
      .where(eq(paymentRequests.stream, sql.placeholder('stream'))),
  )
  return {
    find: (merchant: string, stream: string) => find.get({ merchant, stream }),
    /** Whoever's it is: for the payer's side. */
    findAny: (stream: string) => findAny.get({ stream }),
  }
}
