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

const digitsOf = (text: string): string =>
  [...text].map((char) => (/\d/.test(char) ? char : String(char.charCodeAt(0) - 55))).join('')

/** Whether the text is an IBAN with right check digits (ISO 13616), without blanks. */
export const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) &&
  BigInt(digitsOf(text.slice(4) + text.slice(0, 4))) % 97n === 1n

/** An account as it is kept: an IBAN with right check digits, or a national number; undefined for anything else. */
export const readAccount = (text: string): string | undefined => {
  const account = text.replaceAll(/[ .]/g, '').toUpperCase()
  const looksLikeIban = /^[A-Z]{2}\d{2}/.test(account)
  const isRight = looksLikeIban ? isIban(account) : /^[A-Z0-9-]{4,34}$/.test(account)
  return isRight ? account : undefined
}
