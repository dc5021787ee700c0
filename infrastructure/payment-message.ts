import { randomBytes } from 'node:crypto'
import type { Context } from '../application/handle.ts'
import { orderPayouts } from '../application/order-payouts.ts'
import { merchants } from '../domain/aggregates.ts'
import { streamOf } from '../domain/stream.ts'
import type { SettlementRow } from '../projections/settlements.ts'
import { bankHolidaysOf } from './bank-holidays.ts'
import type { Core } from './core.ts'
import type { Debtor, OrderedPayout } from './operator/payout-file.ts'
import type { Settings } from './settings.ts'

/** The account that pays the payouts; undefined if it is not configured. */
export const debtorIn = (
  settings: Pick<Settings, 'BANK_ACCOUNT' | 'BANK_ACCOUNT_NAME' | 'BANK_BIC'>,
): Debtor | undefined => {
  const { BANK_ACCOUNT: account, BANK_ACCOUNT_NAME: name, BANK_BIC: bic = null } = settings
  return account === undefined ? undefined : { name, account, bic }
}

export const newMessageId = (): string => `DAYBOOK-${randomBytes(8).toString('hex').toUpperCase()}`

/** Orders every payable payout that has an account. */
export const orderDue = (
  { accounting, ...core }: Core,
  messageId: string,
  contextOf: (merchant: string) => Context,
) =>
  orderPayouts(
    { ...core, ...accounting, holidaysOf: bankHolidaysOf(core.find), contextOf },
    messageId,
  )

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
      const about = { merchant, businessName, settlementId, currency, amount }
      return [{ ...about, endToEndId, payoutAccount, payoutDay }]
    })
  })

/** The file of a message (ISO 20022 pain.001), and how many payouts it orders: at least one. */
export const paymentMessage = async (core: Core, debtor: Debtor, messageId: string) => {
  await core.readModels.caughtUp()
  const payouts = payoutsOf(core, core.accounting.settlements.orderedBy(messageId), messageId)
  // Loaded on demand: nothing else writes XML.
  const { payoutFile } = await import('./operator/payout-file.ts')
  const text = payoutFile(debtor, payouts, { messageId, at: core.now() })
  return { text, count: payouts.length }
}
