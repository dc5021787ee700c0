import { z } from 'zod'
import { frequencies, startOfDayPattern } from '../calendar.ts'
import { register } from '../register.ts'
import { waitingChange, type RequestedChange } from '../waiting-change.ts'

export const accountChangeFields = {
  payoutAccount: z.string(),
  /** Null if there was none. */
  before: z.string().nullable(),
}

/** A merchant's staff requests another payout account. Changes by the operator apply at once. */
export const accountChange = waitingChange(
  'AccountChange',
  accountChangeFields,
  'account_change_is_waiting',
)

export type RequestedAccountChange = RequestedChange<
  z.output<z.ZodObject<typeof accountChangeFields>>
>

/**
 * Where and when a merchant is paid. Every merchant has one, `default`, even if it was never set.
 */
export const settlementAccount = register(
  'SettlementAccount',
  z.object({
    merchant: z.string(),
    id: z.string(),
    currency: z.string(),
    /** IBAN or national account number; payouts wait while it is null. */
    payoutAccount: z.string().nullable(),
    frequency: z.enum(frequencies),
    /** `hh:mm` in the time zone of the merchant. */
    startOfDay: z.string().regex(startOfDayPattern),
    /** Working days of banks from the settlement to the payout. */
    payoutDelay: z.int().min(0).max(30),
  }),
)

export type SettlementAccount = Extract<
  Parameters<typeof settlementAccount.decider.decide>[0],
  { type: 'Register' }
>['data']

export const defaultAccount = 'default'

export const impliedAccount = (merchant: string, currency: string): SettlementAccount => ({
  merchant,
  id: defaultAccount,
  currency,
  payoutAccount: null,
  frequency: 'daily',
  startOfDay: '00:00',
  payoutDelay: 0,
})
