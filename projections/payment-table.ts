import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Conditions of indexes. Queries must contain them verbatim, or SQLite does not use the index. */
export const hasCustomer = sql`customerKey is not null`
export const isOpen = sql`deadline is not null`
export const hasFailed = sql`statusCode >= 4000`
export const isRefunded = sql`refunded > 0`
export const isInOwnLedger = sql`ledger <> 'default'`
export const isAuthorized = sql`deadline is not null and isWaiting = 0`
/** What lists show of a payment, both pots together; of most it is `amount`. */
export const listedAmount = sql`iif(captured > 0, captured, amount + additionalAmount)`
export const isShownOtherwise = sql`${listedAmount} <> amount`
export const isToCapture = sql`capturesAtOnce = 1 and deadline is not null and isWaiting = 0`

/**
 * What queries over many payments and transaction lines need. Everything else is folded from the
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
    /** The customer, however they were named; see `customerKeyOf`. */
    customerKey: text(),
    currency: text().notNull(),
    amount: integer().notNull(),
    additionalAmount: integer().notNull(),
    credit: integer({ mode: 'boolean' }).notNull(),
    amountLeft: integer().notNull(),
    additionalAmountLeft: integer().notNull(),
    statusCode: integer().notNull(),
    /** Both pots together, as is `refunded`. */
    captured: integer().notNull(),
    refunded: integer().notNull(),
    /** Who may answer or has answered; null while anyone may. */
    payer: text(),
    /** The scan of a code that has named the payer. */
    scan: text(),
    /** Whether the payer has yet to answer. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    /** Position of the event that put it on the payer's current list; orders the list. */
    inboxPosition: integer().notNull(),
    expiresAt: integer().notNull(),
    /** `expiresAt` while the payment can still expire, else null. */
    deadline: integer(),
    callbackUri: text(),
    /** Whether it is captured whole as soon as the payer accepts. */
    capturesAtOnce: integer({ mode: 'boolean' }).notNull(),
    /** Number of callback messages of its events, with or without an address. */
    told: integer().notNull(),
    requestedAt: integer().notNull(),
    requestedPosition: integer().notNull(),
    modifiedAt: integer().notNull(),
  },
  (row) => {
    const { merchant, requestedAt, requestedPosition } = row
    const order = [requestedAt, requestedPosition] as const
    return [
      index('payments_by_deadline').on(row.deadline),
      index('payments_by_payer').on(row.payer, row.isWaiting, row.inboxPosition),
      // For lists of a merchant. Their columns are written once, with the request, so captures do
      // not rewrite them. Those with a condition contain the few matching rows.
      index('payments_by_time').on(merchant, ...order),
      index('payments_by_pos').on(merchant, row.posId, ...order),
      index('payments_by_ledger')
        .on(merchant, row.ledger, ...order)
        .where(isInOwnLedger),
      index('payments_by_amount').on(merchant, row.amount, ...order),
      index('payments_by_shown_amount')
        .on(merchant, listedAmount, ...order)
        .where(isShownOtherwise),
      index('payments_by_customer')
        .on(merchant, row.customerKey, ...order)
        .where(hasCustomer),
      index('payments_open')
        .on(merchant, row.isWaiting, ...order)
        .where(isOpen),
      // Covers the sum of what is reserved.
      index('payments_expiring')
        .on(merchant, row.deadline, row.currency, row.amountLeft, row.additionalAmountLeft)
        .where(isAuthorized),
      index('payments_to_capture').on(row.inboxPosition).where(isToCapture),
      index('payments_failed')
        .on(merchant, ...order)
        .where(hasFailed),
      index('payments_refunded')
        .on(merchant, ...order)
        .where(isRefunded),
    ]
  },
)

export type PaymentRow = typeof paymentTable.$inferSelect
