import { z } from 'zod'
import { sum } from './totals.ts'

/** The account of the journal that holds a payout which is ordered and not yet seen paid. */
const held = ['payouts_payable', 'payout_clearing', 'bank'] as const
export type HeldIn = (typeof held)[number]

const payoutAmount = z.object({
  currency: z.string(),
  amount: sum,
  /** The second order of a returned payout is attempt 2, and so on. */
  attempt: z.int().optional(),
})

export type PayoutAmount = z.output<typeof payoutAmount>

const reason = z.object({
  /** Of ISO 20022, such as AC04 for a closed account; null if the bank gives none. */
  code: z.string().nullable(),
  text: z.string().nullable(),
})

export type ReturnReason = z.output<typeof reason>

const payout = {
  serial: z.int(),
  currency: z.string(),
  amount: sum,
  messageId: z.string(),
  /** `YYYY-MM-DD` by the bank. */
  day: z.string(),
  heldIn: z.enum(held),
}

/** What becomes of the payout of a settlement in one currency. */
export const payoutEvents = {
  /** Recorded once, with the message id of the payment file. */
  PayoutOrdered: z.object({
    serial: z.int(),
    messageId: z.string(),
    payoutAccount: z.string(),
    payoutDay: z.string(),
    paid: z.array(payoutAmount),
    /** Absent in logs that took what was ordered for paid. */
    heldIn: z.literal('payout_clearing').optional(),
  }),
  /** The bank's statement has it; `entry` is that of the statement. */
  PayoutPaid: z.object({ ...payout, entry: z.string() }),
  /**
   * It came back, or the bank refused to pay it: it is due again. `entry` is null where a status
   * report and no statement tells of it.
   */
  PayoutReturned: z.object({ ...payout, entry: z.string().nullable(), reason }),
} as const

export type PayoutOrdered = z.output<typeof payoutEvents.PayoutOrdered>
export type PayoutPaid = z.output<typeof payoutEvents.PayoutPaid>
export type PayoutReturned = z.output<typeof payoutEvents.PayoutReturned>

/** Where the order of a payout left its money, by what the log says of it. */
export const heldAfter = ({ paid, heldIn }: PayoutOrdered): HeldIn => {
  // The first orders of all held no amounts, and so moved none.
  if (paid.length === 0) return 'payouts_payable'
  return heldIn ?? 'bank'
}

/** The id that a payout has from end to end of its way through the banks. */
export const endToEndId = (settlementId: string, currency: string, attempt = 1): string =>
  `${settlementId}-${currency}${attempt > 1 ? `-${attempt}` : ''}`
