import { z } from 'zod'
import { frequencies, startOfDayPattern } from '../calendar.ts'
import { register } from '../register.ts'

/** Where and when a merchant is paid. Each merchant has one, `default`, whether or not it was ever set. */
export const settlementAccount = register(
  'SettlementAccount',
  z.object({
    merchant: z.string(),
    id: z.string(),
    currency: z.string(),
    /** IBAN, or a national account number; null while none is known, and then the payout waits for one. */
    payoutAccount: z.string().nullable(),
    frequency: z.enum(frequencies),
    /** `hh:mm`, UTC. */
    startOfDay: z.string().regex(startOfDayPattern),
    /** Weekdays from the settlement to the payout. */
    payoutDelay: z.int().min(0).max(30),
  }),
)

type SettlementAccount = Extract<
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
