import { z } from 'zod'
import type { EventsOf } from '../decider.ts'
import { instant } from '../time.ts'
import type { Upcast } from '../upcast.ts'
import { completion } from './completion.ts'
import { payoutEvents } from './payout-events.ts'
import { sum } from './totals.ts'

/**
 * Payout in one currency. Debts are zero or below, and debt before + net − payout + billed = debt
 * after, for fees and refunds together.
 */
const payout = z.object({
  currency: z.string(),
  gross: sum,
  net: sum,
  unsettledFeesBefore: sum,
  unsettledFeesAfter: sum,
  /** Absent if zero, and in old logs, which counted it as fees. */
  unsettledRefundsBefore: sum.optional(),
  unsettledRefundsAfter: sum.optional(),
  payout: sum,
  /** What was invoiced since the last settlement, above zero, of what was owed then. */
  billed: sum,
  /** Its part for refunds; absent if zero. */
  billedRefunds: sum.optional(),
  invoiceId: z.string().nullable(),
})

export type Payout = z.output<typeof payout>

/**
 * `SettlementStarted` cuts the log: the settlement takes every earlier line that no settlement has
 * taken. `SettlementMade` follows with the sums.
 */
export const settlementEvents = {
  SettlementStarted: z.object({
    serial: z.int(),
    /** `<series of the merchant>-<YYYY-MM-DD>-<serial>`. */
    settlementId: z.string(),
    /** Null when it was requested by hand. */
    dueAt: instant.nullable(),
  }),
  SettlementMade: z.object({
    serial: z.int(),
    settlementId: z.string(),
    ...completion.shape,
    payouts: z.array(payout),
    /** `YYYY-MM-DD`. */
    payoutDay: z.string(),
    /** Bank holidays that postponed the payout; absent if there are none. */
    holidays: z.array(z.string()).optional(),
  }),
  ...payoutEvents,
  /** What is owed after the last settlement is invoiced. Sums are zero or above. */
  DebtBilled: z.object({
    serial: z.int(),
    currency: z.string(),
    fees: sum,
    refunds: sum,
    invoiceId: z.string(),
  }),
  /** An invoice, or a part of it, came in at the bank. */
  InvoicePaid: z.object({
    /** Of the settlement after which it was owed. */
    serial: z.int(),
    currency: z.string(),
    invoiceId: z.string(),
    amount: sum,
    /** The bank's booking date, `YYYY-MM-DD`. */
    day: z.string(),
    /** The bank's entry, or what names the payment otherwise; each counts once. */
    entry: z.string(),
  }),
  /** Part of the debt after the last settlement is forgiven. Sums are zero or above. */
  DebtWrittenOff: z.object({
    /** The last settlement, after which it is owed. */
    serial: z.int(),
    currency: z.string(),
    fees: sum,
    refunds: sum,
    reason: z.string(),
    /** The correction that was approved. */
    correction: z.string(),
    /** It was invoiced: then all of it stands in `fees`. */
    invoiceId: z.string().optional(),
  }),
} as const

export const settlementUpcasts = {
  // Version 1 settlements had no callback.
  SettlementMade: [(data) => data],
  // Version 1 did not record the amounts.
  PayoutOrdered: [(data) => ({ ...(data as object), paid: [] })],
} satisfies Partial<Record<keyof typeof settlementEvents, readonly Upcast[]>>

export type SettlementEvent = EventsOf<typeof settlementEvents>
export type SettlementMade = z.output<typeof settlementEvents.SettlementMade>
export type DebtBilled = z.output<typeof settlementEvents.DebtBilled>
export type InvoicePaid = z.output<typeof settlementEvents.InvoicePaid>
export type DebtWrittenOff = z.output<typeof settlementEvents.DebtWrittenOff>
