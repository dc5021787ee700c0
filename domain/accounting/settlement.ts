import type { Decider, EventsOf } from '../decider.ts'
import { addUp, negated, type Sum, type MinorUnits } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import type { Completion } from './completion.ts'
import {
  decideDebt,
  evolveDebts,
  isOwed,
  noDebt,
  noDebts,
  settledDebts,
  type Debt,
  type DebtCommand,
  type Debts,
} from './debts.ts'
import { type FeeTerms, vatOn } from './fees.ts'
import type { PayoutAmount } from './payout-events.ts'
import {
  decidePayout,
  evolvePayouts,
  noPayouts,
  type PayoutCommand,
  type Payouts,
} from './payouts.ts'
import type { Payout, SettlementEvent } from './settlement-events.ts'
import { totalGross, totalNet, type Totals, addToTotals } from './totals.ts'
import { z } from 'zod'
import type { Instant } from '../time.ts'

/** The settlement fee in one currency. */
export type SettlementFee = {
  readonly at: Instant
  readonly currency: string
  readonly taxcode: string
  readonly fee: MinorUnits
  readonly vat: MinorUnits
}

/** Ordered by currency. */
export const settlementFeesBy = (
  terms: Readonly<Record<string, FeeTerms>>,
  at: Instant,
): readonly SettlementFee[] =>
  Object.entries(terms)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([currency, { settlementFixed: fee, taxcode, vat }]) =>
      fee === 0
        ? []
        : [{ at, currency, taxcode, fee, vat: vatOn('settlement', fee, taxcode, vat) }],
    )

/** Adds one settlement fee for each currency that has lines. */
export const withSettlementFees = (
  totals: Totals,
  terms: Readonly<Record<string, FeeTerms>>,
): Totals => {
  const settled = new Set(totals.map(({ currency }) => currency))
  let after = totals
  for (const { currency, taxcode, fee, vat } of settlementFeesBy(terms, 0))
    if (settled.has(currency)) {
      const fees = { settlement_fee: fee, settlement_fee_vat: vat }
      after = addToTotals(after, { currency, taxcode, fees })
    }
  return after
}

/** Reads the fees back from the totals of a completed settlement. */
export const settlementFeesOf = (totals: Totals, at: Instant): readonly SettlementFee[] =>
  totals.flatMap(({ currency, taxcode, fees }) => {
    const [fee, vat] = [Number(fees.settlement_fee ?? 0), Number(fees.settlement_fee_vat ?? 0)]
    return fee === 0 ? [] : [{ at, currency, taxcode, fee, vat }]
  })

export const settlementFeesIn = (totals: Totals, currency: string): { fee: Sum; vat: Sum } => {
  const own = totals.filter((total) => total.currency === currency)
  return {
    fee: addUp(...own.map(({ fees }) => fees.settlement_fee ?? 0)),
    vat: addUp(...own.map(({ fees }) => fees.settlement_fee_vat ?? 0)),
  }
}

export const seriesEvents = {
  /** Only this merchant's settlement ids start with the series. */
  SeriesTaken: z.object({ merchant: z.string() }),
} as const

export type SeriesEvent = EventsOf<typeof seriesEvents>

export type SeriesCommand = { readonly type: 'TakeSeries'; readonly merchant: string }

/** Null while nobody owns it. */
export type Series = { readonly merchant: string | null }

/**
 * Six characters that settlement ids start with (interface 8); the first merchant to take them
 * keeps them.
 */
export const series: Decider<SeriesCommand, SeriesEvent, Series> = {
  initial: { merchant: null },
  decide: ({ merchant }, taken) =>
    taken.merchant === null ? [{ type: 'SeriesTaken', data: { merchant } }] : [],
  evolve: (_, { data }) => ({ merchant: data.merchant }),
}

type Settlements = {
  readonly started: number
  readonly made: number
  /** Ids of settlements that are started but not completed. */
  readonly settlementIds: Readonly<Record<number, string>>
  readonly payouts: Payouts
  readonly debts: Debts
}

export type SettlementCommand =
  | {
      readonly type: 'StartSettlement'
      /** The next serial the caller expects; another process may have been first. */
      readonly serial: number
      readonly settlementId: string
      readonly dueAt: number | null
    }
  | {
      readonly type: 'CompleteSettlement'
      readonly serial: number
      readonly completion: Completion
      /** Terms at the start of the settlement, by currency. */
      readonly terms: Readonly<Record<string, FeeTerms>>
      readonly payoutDay: string
      /** Bank holidays that postpone the payout. */
      readonly holidays?: readonly string[] | undefined
    }
  | DebtCommand
  | PayoutCommand

const debtOnly = (sum: Sum): Sum => (isOwed(sum) ? sum : '0')

/**
 * Never pays less than zero; the rest becomes debt. Captures cover refunds first. A remaining
 * shortfall is debt for fees, as far as fees are owed, and then for refunds.
 */
const payoutOf = (totals: Totals, currency: string, debts: Debts): Payout => {
  const before = debts.owed[currency] ?? noDebt
  const billed = debts.billed[currency] ?? { ...noDebt, invoiceId: null }
  const refundsBefore = addUp(before.refunds, negated(billed.refunds))
  const own = totals.filter((total) => total.currency === currency)
  const gross = addUp(...own.map(totalGross))
  const net = addUp(...own.map(totalNet))
  const balance = addUp(before.fees, before.refunds, net)
  const fees = debtOnly(addUp(before.fees, net, negated(gross)))
  const covered = addUp(before.refunds, gross)
  const feesAfter = isOwed(balance) ? (isOwed(covered) ? fees : balance) : '0'
  const refundsAfter = isOwed(balance) ? addUp(balance, negated(feesAfter)) : '0'
  return {
    currency,
    gross,
    net,
    unsettledFeesBefore: addUp(before.fees, negated(billed.fees)),
    unsettledFeesAfter: feesAfter,
    ...(refundsBefore !== '0' && { unsettledRefundsBefore: refundsBefore }),
    ...(refundsAfter !== '0' && { unsettledRefundsAfter: refundsAfter }),
    payout: isOwed(balance) ? '0' : balance,
    billed: addUp(billed.fees, billed.refunds),
    ...(billed.refunds !== '0' && { billedRefunds: billed.refunds }),
    invoiceId: billed.invoiceId,
  }
}

const decide = (command: SettlementCommand, state: Settlements): readonly SettlementEvent[] => {
  switch (command.type) {
    case 'StartSettlement': {
      const { serial, settlementId, dueAt } = command
      if (serial !== state.started + 1) return []
      return [{ type: 'SettlementStarted', data: { serial, settlementId, dueAt } }]
    }
    case 'CompleteSettlement': {
      const { serial, completion, terms, payoutDay, holidays = [] } = command
      if (serial <= state.made) return []
      const settlementId = state.settlementIds[serial] ?? refuse('resource_is_unknown')
      // In order, because each settlement starts with the debt of the one before.
      if (serial !== state.made + 1) return refuse('conflicting_changes')
      const totals = withSettlementFees(completion.totals, terms)
      const payouts = [...new Set(totals.map(({ currency }) => currency))].map((currency) =>
        payoutOf(totals, currency, state.debts),
      )
      const sums = { ...completion, totals: [...totals], payouts }
      const paid = { payoutDay, ...(holidays.length > 0 && { holidays: [...holidays] }) }
      return [{ type: 'SettlementMade', data: { serial, settlementId, ...sums, ...paid } }]
    }
    case 'WriteOffDebt':
    case 'BillDebt':
    case 'PayInvoice':
      return decideDebt(command, state.debts, state.made)
    case 'OrderPayout':
    case 'ConfirmPayout':
    case 'ReturnPayout':
      return decidePayout(command, state.payouts)
  }
}

/** A merchant's settlements. Two processes that settle at the same time make only one. */
export const settlement: Decider<SettlementCommand, SettlementEvent, Settlements> = {
  initial: { started: 0, made: 0, settlementIds: {}, payouts: noPayouts, debts: noDebts },
  decide,
  evolve(state, event) {
    switch (event.type) {
      case 'SettlementStarted': {
        const { serial, settlementId } = event.data
        const settlementIds = { ...state.settlementIds, [serial]: settlementId }
        return { ...state, started: serial, settlementIds }
      }
      case 'SettlementMade': {
        const { serial, payouts } = event.data
        const { [serial]: _, ...settlementIds } = state.settlementIds
        const owed: Record<string, Debt> = {}
        for (const { currency, unsettledFeesAfter: fees, unsettledRefundsAfter } of payouts)
          owed[currency] = { fees, refunds: unsettledRefundsAfter ?? '0' }
        const toPay = amountsOf(payouts)
        const { unordered } = state.payouts
        const due = toPay.length > 0 ? { ...unordered, [serial]: toPay } : unordered
        const made = { made: serial, settlementIds, debts: settledDebts(state.debts, owed) }
        return { ...state, ...made, payouts: { ...state.payouts, unordered: due } }
      }
      case 'DebtWrittenOff':
      case 'DebtBilled':
      case 'InvoicePaid':
        return { ...state, debts: evolveDebts(state.debts, event) }
      case 'PayoutOrdered':
      case 'PayoutPaid':
      case 'PayoutReturned':
        return { ...state, payouts: evolvePayouts(state.payouts, event) }
    }
  },
}

/** Amounts above zero. */
export const amountsOf = (payouts: readonly Payout[]): readonly PayoutAmount[] =>
  payouts.flatMap(({ currency, payout }) => (payout === '0' ? [] : { currency, amount: payout }))
