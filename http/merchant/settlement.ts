import { z } from 'zod'
import { frequencies } from '../../domain/calendar.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { listRoute } from '../lists.ts'
import { type Route, routesOf } from '../route.ts'
import { payoutStatuses, type PayoutState } from '../../domain/accounting/payout-state.ts'
import type { Payout, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { dateTime, money, moneyIn } from '../wire.ts'
import { logLink } from './log.ts'
import {
  logRangeReply,
  logRangeView,
  logsReply,
  summaryReply,
  summaryView,
} from './report-reply.ts'

export const settlementSummary = summaryReply
  .extend({
    settlement_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
    scope_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
    transaction_fee: money.meta({ deprecated: true, description: 'It stands in `fees`.' }),
  })
  .meta({ id: 'SettlementSummary' })

export const debt =
  'Zero or below: what the merchant owes for fees. before + net − payout + billed = after, of ' +
  'fees and refunds together.'

export const refundDebt =
  'Below zero: what refunds took beyond the captures, which later ones pay. Absent when that is ' +
  'nothing.'

export const payoutReply = z
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
    status: z
      .enum(payoutStatuses)
      .optional()
      .meta({
        description:
          'Of a payout above zero: due, ordered (the bank is asked), paid (on its statement) or ' +
          'returned (it came back or was refused, and is due again). Absent in messages.',
      }),
    payout_day: z.string().optional().meta({
      description: 'YYYY-MM-DD: when it is to be paid. Never a weekend or bank holiday.',
    }),
    paid_on: z.string().optional().meta({ description: 'YYYY-MM-DD, by the bank.' }),
    return_reason: z.string().optional().meta({
      description: 'Why it came back: the code of ISO 20022, the words of the bank, or both.',
    }),
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

export const settlementListPath = `${merchantPrefix}/settlement/`

export const settlementPath = (serial: number | string): string => `${settlementListPath}${serial}/`

/** What has become of it; the money moves after the settlement is made. */
export const payoutStateView = (state: PayoutState | undefined) => {
  if (!state) return {}
  const { status, day, paid, returned } = state
  const reason = returned && [returned.reason.code, returned.reason.text].filter(Boolean).join(' ')
  return {
    status,
    payout_day: day,
    ...(paid && { paid_on: paid.on }),
    ...(status === 'returned' && reason && { return_reason: reason }),
  }
}

export const payoutView = (
  payout: Payout,
  states: readonly PayoutState[],
): z.input<typeof payoutReply> => {
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
    ...payoutStateView(states.find((state) => state.currency === currency)),
  }
}

/** `at` is when its links were signed. */
export const settlementView = (
  needs: Signing,
  { serial, settlementId, startedAt }: Pick<SettlementRow, 'serial' | 'settlementId' | 'startedAt'>,
  made: SettlementMade,
  at: number,
  payouts: readonly PayoutState[] = [],
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
  payout_details: made.payouts.map((payout) => payoutView(payout, payouts)),
  transaction_log_uris: made.transactionLogs.map(({ sha256 }) => logLink(needs, sha256, at)),
  scope_log_uris: made.scopeLogs.map(({ sha256 }) => logLink(needs, sha256, at)),
  ...logRangeView(needs, made, settlementPath(serial)),
})

const accountReply = z
  .object({
    id: z.string(),
    currency: z.string(),
    payout_account: z.string().nullable().meta({ description: 'IBAN or national number.' }),
    frequency: z
      .enum(frequencies)
      .meta({ description: 'On weekdays, on Mondays, or on the first weekday of a month.' }),
    start_of_day: z.string().meta({ description: 'hh:mm, in the time zone of the merchant.' }),
    payout_delay: z.int().meta({ description: 'Weekdays from the settlement to the payout.' }),
  })
  .meta({ id: 'SettlementAccount' })

export type SettlementNeeds = Signing &
  Pick<Queries['accounting'], 'settlements' | 'settlementAccounts'> & {
    readonly caughtUp: () => Promise<void>
  }

export const settlementGroup = 'Settlement'

const { get } = routesOf({ access: 'SECRET', group: settlementGroup })

export const settlementParams = z.object({ settlement_id: z.string().regex(/^[1-9]\d{0,9}$/) })

export const lastSettlementRoute = ({ links, caughtUp, settlements }: SettlementNeeds): Route =>
  get(`${merchantPrefix}/last_settlement/`, {
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

/** Settlements and the account they are paid to (interface 10). */
export const settlementRoutes = (needs: SettlementNeeds): Route[] => {
  const { links, caughtUp, settlements } = needs

  return [
    listRoute({
      path: settlementListPath,
      access: 'SECRET',
      group: settlementGroup,
      summary: 'List the settlements',
      links,
      caughtUp,
      list: (merchant, before, limit) =>
        settlements.list(merchant, before, limit).map(({ serial }) => ({ position: serial })),
      pathOf: ({ position: serial }) => settlementPath(serial),
    }),
    get(`${settlementListPath}:settlement_id/`, {
      summary: 'Read a settlement',
      params: settlementParams,
      reply: settlementReply,
      handle: async (call) => {
        await caughtUp()
        const row = settlements.find(callerOf(call).merchant, Number(call.params.settlement_id))
        if (!row?.made) return refuse('resource_is_unknown')
        return settlementView(needs, row, row.made, call.at, row.payouts)
      },
    }),
    get(`${merchantPrefix}/settlement_account/:settlement_account_id/`, {
      summary: 'Read a settlement account',
      params: z.object({ settlement_account_id: z.string() }),
      reply: accountReply,
      handle: async (call) => {
        await caughtUp()
        const row = needs.settlementAccounts.find(callerOf(call).merchant)
        if (row?.id !== call.params.settlement_account_id) return refuse('resource_is_unknown')
        const { id, currency, payoutAccount, frequency, startOfDay, payoutDelay } = row
        return {
          id,
          currency,
          frequency,
          payout_account: payoutAccount,
          start_of_day: startOfDay,
          payout_delay: payoutDelay,
        }
      },
    }),
  ]
}
