import { z } from 'zod'
import { payoutStatuses, type PayoutState } from '../../domain/accounting/payout-state.ts'
import type { Payout, SettlementMade } from '../../domain/accounting/settlement-events.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
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
  'Zero or below: what the merchant owes for fees. before + net − payout + billed = after, of ' +
  'fees and refunds together.'
const refundDebt =
  'Below zero: what refunds took beyond the captures, which later ones pay. Absent when that is ' +
  'nothing.'

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
const payoutStateView = (state: PayoutState | undefined) => {
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

const payoutView = (
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
