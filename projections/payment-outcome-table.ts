import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MinorUnits } from '../domain/money/money.ts'
import type { Pots } from '../domain/money/pots.ts'
import type { PaymentStatus } from '../domain/payment/status.ts'
import type { Permissions } from '../domain/people/grant.ts'
import type { Instant } from '../domain/time.ts'

/** Fees and interchange are what it cost the merchant, without VAT; on refunds zero or below. */
export type CaptureRow = Pots & {
  readonly id: string | null
  readonly at: Instant
  readonly fee: MinorUnits
  readonly interchange: MinorUnits
}
export type RefundRow = CaptureRow & { readonly text: string | null }

/** What has become of each payment; all amounts in minor units of its currency. */
export const paymentOutcomes = sqliteTable(
  'payment_outcomes',
  {
    tid: text().primaryKey(),
    merchant: text().notNull(),
    posId: text().notNull(),
    posTid: text().notNull(),
    customer: text(),
    /** For whom it is, or who has answered it; null as long as anyone may. */
    payer: text(),
    /** Whether its payer has still to answer: beside the status, for the index by payer is not to move with captures. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    /** Position of the event that put it among the requests of its payer, or moved it there: their order. */
    inboxPosition: integer().notNull(),
    /** Granted along with the authorisation. */
    permissions: text({ mode: 'json' }).$type<Permissions>(),
    currency: text().notNull(),
    ledger: text().notNull(),
    callbackUri: text(),
    displayMessageUri: text(),
    status: text().$type<PaymentStatus>().notNull(),
    statusCode: integer().notNull(),
    amount: integer().notNull(),
    additionalAmount: integer().notNull(),
    credit: integer({ mode: 'boolean' }).notNull(),
    /** Authorised and not yet captured or released. */
    available: text({ mode: 'json' }).$type<Pots>().notNull(),
    released: text({ mode: 'json' }).$type<Pots>().notNull(),
    captures: text({ mode: 'json' }).$type<readonly CaptureRow[]>().notNull(),
    refunds: text({ mode: 'json' }).$type<readonly RefundRow[]>().notNull(),
    modifiedAt: integer().notNull(),
    /** End of the current status, or of the last one that could end. */
    expiresAt: integer().notNull(),
    /** `expiresAt` while the payment can still expire, else null. */
    deadline: integer(),
    /** Number of the last callback message; the next one has the next number. */
    seqno: integer().notNull(),
    /** Position of its latest line in the log, and the ledger that the line stands in: they name its report. */
    linePosition: integer().notNull(),
    lineLedger: text().notNull(),
    /** Of the last event of its stream that is folded in. */
    revision: integer().notNull(),
  },
  (row) => [
    index('payment_outcomes_by_deadline').on(row.deadline),
    index('payment_outcomes_by_payer').on(row.payer, row.isWaiting, row.inboxPosition),
  ],
)

export type PaymentOutcome = typeof paymentOutcomes.$inferSelect
