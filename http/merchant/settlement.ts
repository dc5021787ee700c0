import { z } from 'zod'
import type { Payout, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import { frequencies } from '../../domain/calendar.ts'
import { refuse } from '../../domain/refusal.ts'
import type { SettlementAccountRow } from '../../projections/settlement-accounts.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { listRoute } from '../lists.ts'
import { route, type Route } from '../route.ts'
import { dateTime, money, moneyIn } from '../wire.ts'
import { logLink } from './log.ts'
import { logRangeReply, logRangeView, logsReply } from './report-reply.ts'
import { summaryReply, summaryView } from './summary-reply.ts'

const settlementSummary = summaryReply
  .extend({
    settlement_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
    scope_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
    transaction_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
  })
  .meta({ id: 'SettlementSummary' })

const debt =
  'Zero or below: what the merchant owes for fees. before + net − payout + billed = after, of fees and refunds together.'
const refundDebt =
  'Below zero: what refunds took beyond the captures, which later ones pay. Absent when that is nothing.'

const payoutReply = z
  .object({
    currency: z.string(),
    gross: money,
    net: money,
    unsettled_fees_before: money.meta({ description: debt }),
    unsettled_fees_after: money.meta({ description: debt }),
    unsettled_refunds_before: money.optional().meta({ description: refundDebt }),
    unsettled_refunds_after: money.optional().meta({ description: refundDebt }),
    payout: money.meta({ description: 'Never below zero.' }),
    billed: money,
    invoice_id: z.string().nullable(),
  })
  .meta({ id: 'PayoutDetail' })

export const settlementReply = z
  .object({
    id: z.string(),
    settlement_id: z.string().meta({
      description: 'As logs and bank statements name it: <series>-<YYYY-MM-DD>-<serial>.',
    }),
    date_created: dateTime,
    settlement_summary: z.array(settlementSummary),
    payout_details: z.array(payoutReply),
    ...logsReply,
    ...logRangeReply,
  })
  .meta({ id: 'Settlement' })

const accountReply = z
  .object({
    id: z.string(),
    currency: z.string(),
    payout_account: z.string().nullable().meta({ description: 'IBAN or national number.' }),
    frequency: z
      .enum(frequencies)
      .meta({ description: 'On weekdays, on Mondays, or on the first weekday of a month.' }),
    start_of_day: z.string().meta({ description: 'hh:mm, UTC.' }),
    payout_delay: z.int().meta({ description: 'Weekdays from the settlement to the payout.' }),
  })
  .meta({ id: 'SettlementAccount' })

export type SettlementNeeds = Signing & {
  readonly caughtUp: () => Promise<void>
  readonly settlements: {
    find(merchant: string, serial: number): SettlementRow | undefined
    list(merchant: string, before: number, limit: number): readonly SettlementRow[]
  }
  readonly settlementAccounts: { find(merchant: string): SettlementAccountRow | undefined }
}

const listPath = `${merchantPrefix}/settlement/`
export const settlementPath = (serial: number | string): string => `${listPath}${serial}/`
export const settlementGroup = 'Settlement'
export const settlementParams = z.object({ settlement_id: z.string().regex(/^[1-9]\d{0,9}$/) })

const payoutView = (payout: Payout): z.input<typeof payoutReply> => {
  const { currency, unsettledRefundsBefore: before, unsettledRefundsAfter: after } = payout
  const amount = moneyIn(currency)
  return {
    currency,
    gross: amount(payout.gross),
    net: amount(payout.net),
    unsettled_fees_before: amount(payout.unsettledFeesBefore),
    unsettled_fees_after: amount(payout.unsettledFeesAfter),
    ...(before !== undefined && { unsettled_refunds_before: amount(before) }),
    ...(after !== undefined && { unsettled_refunds_after: amount(after) }),
    payout: amount(payout.payout),
    billed: amount(payout.billed),
    invoice_id: payout.invoiceId,
  }
}

export const lastSettlementRoute = ({ links, caughtUp, settlements }: SettlementNeeds): Route =>
  route({
    method: 'GET',
    path: `${merchantPrefix}/last_settlement/`,
    access: 'SECRET',
    group: settlementGroup,
    summary: 'Go to the newest settlement',
    success: 'found',
    errors: { 404: 'There is none yet.' },
    handle: async (call) => {
      await caughtUp()
      const [last] = settlements.list(callerOf(call).merchant, Number.MAX_SAFE_INTEGER, 1)
      const { serial } = last ?? refuse('resource_is_unknown')
      return { location: links.full(settlementPath(serial)) }
    },
  })

/** `at` is when its links were signed. */
export const settlementView = (
  needs: Signing,
  { serial, settlementId, startedAt }: Pick<SettlementRow, 'serial' | 'settlementId' | 'startedAt'>,
  made: SettlementMade,
  at: number,
): z.input<typeof settlementReply> => ({
  id: String(serial),
  settlement_id: settlementId,
  date_created: startedAt,
  settlement_summary: made.totals.map((total) => {
    const { currency, fees } = total
    const amount = moneyIn(currency)
    return {
      ...summaryView(total),
      settlement_fee: amount(fees.settlement_fee ?? '0'),
      scope_fee: amount(fees.scope_fee ?? '0'),
      transaction_fee: amount(fees.transaction_fee ?? '0'),
    }
  }),
  payout_details: made.payouts.map(payoutView),
  transaction_log_uris: made.transactionLogs.map(({ sha256 }) => logLink(needs, sha256, at)),
  scope_log_uris: made.scopeLogs.map(({ sha256 }) => logLink(needs, sha256, at)),
  ...logRangeView(needs, made, settlementPath(serial)),
})

/** Settlements and the account they are paid to (interface 10). */
export const settlementRoutes = (needs: SettlementNeeds): Route[] => {
  const { links, caughtUp, settlements } = needs

  return [
    listRoute({
      path: listPath,
      access: 'SECRET',
      group: settlementGroup,
      summary: 'List the settlements',
      links,
      caughtUp,
      list: (merchant, before, limit) =>
        settlements.list(merchant, before, limit).map(({ serial }) => ({ position: serial })),
      pathOf: ({ position: serial }) => settlementPath(serial),
    }),
    route({
      method: 'GET',
      path: `${listPath}:settlement_id/`,
      access: 'SECRET',
      group: settlementGroup,
      summary: 'Read a settlement',
      params: settlementParams,
      success: 'value',
      reply: settlementReply,
      handle: async (call) => {
        await caughtUp()
        const row = settlements.find(callerOf(call).merchant, Number(call.params.settlement_id))
        if (!row?.made) return refuse('resource_is_unknown')
        return settlementView(needs, row, row.made, call.at)
      },
    }),
    route({
      method: 'GET',
      path: `${merchantPrefix}/settlement_account/:settlement_account_id/`,
      access: 'SECRET',
      group: settlementGroup,
      summary: 'Read a settlement account',
      params: z.object({ settlement_account_id: z.string() }),
      success: 'value',
      reply: accountReply,
      handle: async (call) => {
        await caughtUp()
        const row = needs.settlementAccounts.find(callerOf(call).merchant)
        if (row?.id !== call.params.settlement_account_id) return refuse('resource_is_unknown')
        const { id, currency, payoutAccount, frequency, startOfDay, payoutDelay } = row
        return {
          ...{ id, currency, frequency },
          payout_account: payoutAccount,
          start_of_day: startOfDay,
          payout_delay: payoutDelay,
        }
      },
    }),
  ]
}
