import { z } from 'zod'
import { sum } from './totals.ts'

/** The journal account that holds a payout that is ordered but not yet seen paid. */
const held = ['payouts_payable', 'payout_clearing', 'bank'] as const
export type HeldIn = (typeof held)[number]

const payoutAmount = z.object({
  currency: z.string(),
  amount: sum,
  /** A returned payout is ordered again as attempt 2, and so on. */
  attempt: z.int().optional(),
})

export type PayoutAmount = z.output<typeof payoutAmount>

export const returnReason = z.object({
  /** ISO 20022, such as AC04 for a closed account; null if the bank gives none. */
  code: z.string().nullable(),
  text: z.string().nullable(),
})

export type ReturnReason = z.output<typeof returnReason>

const payout = {
  serial: z.int(),
  currency: z.string(),
  amount: sum,
  messageId: z.string(),
  /** The bank's booking date, `YYYY-MM-DD`. */
  day: z.string(),
  heldIn: z.enum(held),
}

/** The life of a settlement's payout in one currency. */
export const payoutEvents = {
  /** Recorded once, with the message id of the payment file. */
  PayoutOrdered: z.object({
    serial: z.int(),
    messageId: z.string(),
    payoutAccount: z.string(),
    payoutDay: z.string(),
    paid: z.array(payoutAmount),
    /** Absent in old logs, which treated an ordered payout as paid. */
    heldIn: z.literal('payout_clearing').optional(),
  }),
  /** Seen on the bank's statement as `entry`. */
  PayoutPaid: z.object({ ...payout, entry: z.string() }),
  /**
   * It came back, or the bank refused to pay it, so it is due again. `entry` is null if only a
   * status report says so.
   */
  PayoutReturned: z.object({ ...payout, entry: z.string().nullable(), reason: returnReason }),
} as const

export type PayoutOrdered = z.output<typeof payoutEvents.PayoutOrdered>
export type PayoutPaid = z.output<typeof payoutEvents.PayoutPaid>
export type PayoutReturned = z.output<typeof payoutEvents.PayoutReturned>

/** The account that holds the money of an ordered payout. */
export const heldAfter = ({ paid, heldIn }: PayoutOrdered): HeldIn => {
  // Orders of the first version have no amounts and moved no money.
  if (paid.length === 0) return 'payouts_payable'
  return heldIn ?? 'bank'
}

/** The end-to-end id of a payout in ISO 20022 messages. */
export const endToEndId = (settlementId: string, currency: string, attempt = 1): string =>
  `${settlementId}-${currency}${attempt > 1 ? `-${attempt}` : ''}`

/**
 * The ids of a message's payment informations: one for each day and currency, numbered in their
 * order. Answers the id for a payout.
 */
export const paymentIdsOf = (
  messageId: string,
  ordered: readonly { readonly day: string; readonly currency: string }[],
) => {
  const nameOf = ({ day, currency }: (typeof ordered)[number]) => `${day} ${currency}`
  const names = [...new Set(ordered.map(nameOf))].sort()
  return (one: (typeof ordered)[number]): string =>
    `${messageId.slice(0, 30)}-${names.indexOf(nameOf(one)) + 1}`
}

export const messageOfPayment = (paymentId: string): string => paymentId.replace(/-\d+$/, '')
