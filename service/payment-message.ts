import type { Context } from '../application/handle.ts'
import { orderPayouts } from '../application/order-payouts.ts'
import { merchants } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import { utc, type TimeZone } from '../domain/time-zone.ts'
import type { SettlementRow } from '../projections/settlements.ts'
import {
  bankHolidaysOf,
  bankRests,
  timeZoneOfCountry,
} from '../infrastructure/bank/bank-holidays.ts'
import type { Core } from './core.ts'
import type { Debtor, OrderedPayout } from '../infrastructure/bank/payout-file.ts'
import { isIban, payoutAddress } from '../infrastructure/bank/payout-account.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { aside, randomBytes } from '../application/machine.ts'

/** The account that pays the payouts; undefined if it is not configured. */
export const debtorIn = (
  settings: Pick<Settings, 'BANK_ACCOUNT' | 'BANK_ACCOUNT_NAME' | 'BANK_BIC'>,
): Debtor | undefined => {
  const { BANK_ACCOUNT: account, BANK_ACCOUNT_NAME: name, BANK_BIC: bic = null } = settings
  return account === undefined ? undefined : { name, account, bic }
}

export const newMessageId = (): string => `DAYBOOK-${randomBytes(8).toString('hex').toUpperCase()}`

/** The country of an IBAN. */
const countryOf = (account: string | undefined): string | undefined =>
  account !== undefined && isIban(account) ? account.slice(0, 2) : undefined

/** Where the days of the bank's files are counted: as set, or else in the account's country. */
export const bankTimeZone = async ({
  BANK_TIME_ZONE,
  BANK_ACCOUNT: account,
}: Pick<Settings, 'BANK_ACCOUNT' | 'BANK_TIME_ZONE'>): Promise<TimeZone> => {
  if (BANK_TIME_ZONE !== undefined) return BANK_TIME_ZONE
  const country = countryOf(account)
  return (country !== undefined && (await timeZoneOfCountry(country))) || utc
}

/** A settlement with a payout that came back. @throws Refusal payout_is_not_returned */
export const returnedIn = (
  { accounting }: Pick<Core, 'accounting'>,
  settlementId: string,
): SettlementRow => {
  const row = accounting.settlements.findById(settlementId) ?? refuse('resource_is_unknown')
  const isReturned = row.payouts.some(({ status }) => status === 'returned')
  return isReturned ? row : refuse('payout_is_not_returned')
}

/** Orders every payable payout that has an account, or only those of one settlement. */
export const orderDue = async (
  core: Core,
  messageId: string,
  contextOf: (merchant: string) => Context,
  only?: SettlementRow,
) => {
  const timeZone = await bankTimeZone(core.settings)
  const holidaysOf = bankHolidaysOf(core.find)
  const { handle, now, accounting } = core
  const { settlementAccounts } = accounting
  const settlements = only ? { payable: () => [only] } : accounting.settlements
  return orderPayouts(
    { handle, now, settlements, settlementAccounts, holidaysOf, contextOf, timeZone },
    messageId,
  )
}

const payoutsOf = (
  core: Core,
  rows: readonly SettlementRow[],
  messageId: string,
): OrderedPayout[] =>
  rows.flatMap(({ merchant, settlementId, payouts }) => {
    const shop = core.merchants.merchants.find(streamOf(merchants, merchant))?.data
    return payouts.flatMap(({ currency, amount, orders }) => {
      const order = orders.find((one) => one.messageId === messageId)
      if (!order) return []
      const { payoutAccount, endToEndId, day: payoutDay } = order
      const businessName = shop?.businessName ?? merchant
      const address = shop && payoutAddress(shop)
      const about = { merchant, businessName, settlementId, currency, amount, address }
      return [{ ...about, endToEndId, payoutAccount, payoutDay }]
    })
  })

/** The file of a message (ISO 20022 pain.001), and how many payouts it orders: at least one. */
export const paymentMessage = async (core: Core, debtor: Debtor, messageId: string) => {
  await core.readModels.caughtUp()
  const payouts = payoutsOf(core, core.accounting.settlements.orderedBy(messageId), messageId)
  // Loaded on demand: nothing else writes XML.
  const { payoutFile } = await aside(() => import('../infrastructure/bank/payout-file.ts'))
  const timeZone = await bankTimeZone(core.settings)
  const { BANK_PROFILE: profile, COUNTRY } = core.settings
  const isClosed = await bankRests(core.find, countryOf(debtor.account) ?? COUNTRY)
  const run = { messageId, at: core.now(), timeZone, isClosed, ...(profile && { profile }) }
  const text = payoutFile(debtor, payouts, run)
  return { text, count: payouts.length }
}
