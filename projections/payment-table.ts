import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Of each payment what is looked for among many, and what the lines of transaction logs tell of it. Whatever else is
 * known of one payment is folded from its stream. Amounts in minor units of its currency.
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
    /** Not captured and not released. */
    amountLeft: integer().notNull(),
    additionalAmountLeft: integer().notNull(),
    /** For whom it is, or who has answered it; null as long as anyone may. */
    payer: text(),
    /** Whether its payer has still to answer. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    /** Position of the event that put it among the requests of its payer, or moved it there: their order. */
    inboxPosition: integer().notNull(),
    /** End of the current status, or of the last one that could end. */
    expiresAt: integer().notNull(),
    /** `expiresAt` while the payment can still expire, else null. */
    deadline: integer(),
  },
  (row) => [
    index('payments_by_deadline').on(row.deadline),
    index('payments_by_payer').on(row.payer, row.isWaiting, row.inboxPosition),
  ],
)

export type PaymentRow = typeof paymentTable.$inferSelect
