import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What queries over many payments and transaction lines need; everything else is folded from the
 * payment's stream. Amounts in minor units.
 */
export const paymentTable = sqliteTable(
  'payments',
  {
    tid: text().primaryKey(),
    merchant: text().notNull(),
    ledger: text().notNull(),
    posId: text().notNull(),
    posTid: text().notNull(),
    text: text(),
    customer: text(),
    currency: text().notNull(),
    amount: integer().notNull(),
    additionalAmount: integer().notNull(),
    credit: integer({ mode: 'boolean' }).notNull(),
    amountLeft: integer().notNull(),
    additionalAmountLeft: integer().notNull(),
    /** Who may answer or has answered; null while anyone may. */
    payer: text(),
    /** Whether the payer has yet to answer. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    /** Position of the event that put it on the payer's current list; orders the list. */
    inboxPosition: integer().notNull(),
    expiresAt: integer().notNull(),
    /** `expiresAt` while the payment can still expire, else null. */
    deadline: integer(),
    callbackUri: text(),
    /** Callback messages that its events have told, with an address or without. */
    told: integer().notNull(),
  },
  (row) => [
    index('payments_by_deadline').on(row.deadline),
    index('payments_by_payer').on(row.payer, row.isWaiting, row.inboxPosition),
  ],
)

export type PaymentRow = typeof paymentTable.$inferSelect
