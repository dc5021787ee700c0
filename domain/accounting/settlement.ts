import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { addUp, negated, type MinorUnits, type Sum } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import type { Instant } from '../time.ts'
import type { Upcast } from '../upcast.ts'
import { completion, type Completion } from './completion.ts'
import { vatOn, type FeeTerms } from './fees.ts'
import { addToTotals, sum, totalGross, totalNet, type Totals } from './totals.ts'

/**
 * Payout in one currency. Debts are zero or below, and debt before + net − payout + billed = debt
 * after, for fees and refunds together.
 */
const payout = z.object({
  currency: z.string(),
  gross: sum,
  net: sum,
  unsettledFeesBefore: sum,
  unsettledFeesAfter: sum,
  /** Absent if zero, and in logs that counted it as fees. */
  unsettledRefundsBefore: sum.optional(),
  unsettledRefundsAfter: sum.optional(),
  payout: sum,
  billed: sum,
  invoiceId: z.string().nullable(),
})

export type Payout = z.output<typeof payout>

const payoutAmount = z.object({ currency: z.string(), amount: sum })

type PayoutAmount = z.output<typeof payoutAmount>

/**
 * `SettlementStarted` cuts the log: the settlement takes every earlier line that no settlement has
 * taken. `SettlementMade` follows with the sums.
 */
export const settlementEvents = {
  SettlementStarted: z.object({
    serial: z.int(),
    /** `<series of the merchant>-<YYYY-MM-DD>-<serial>`. */
    settlementId: z.string(),
    /** Null when it was requested by hand. */
    dueAt: z.int().nullable(),
  }),
  SettlementMade: z.object({
    serial: z.int(),
    settlementId: z.string(),
    ...completion.shape,
    payouts: z.array(payout),
    /** `YYYY-MM-DD`. */
    payoutDay: z.string(),
  }),
  /** Recorded once, with the message id of the payment file. */
  PayoutOrdered: z.object({
    serial: z.int(),
    messageId: z.string(),
    payoutAccount: z.string(),
    payoutDay: z.string(),
    paid: z.array(payoutAmount),
  }),
} as const

export const settlementUpcasts = {
  // Version 1 did not hold the amounts.
  PayoutOrdered: [(data) => ({ ...(data as object), paid: [] })],
} satisfies Partial<Record<keyof typeof settlementEvents, readonly Upcast[]>>

export type SettlementEvent = EventsOf<typeof settlementEvents>
export type SettlementMade = z.output<typeof settlementEvents.SettlementMade>
export type PayoutOrdered = z.output<typeof settlementEvents.PayoutOrdered>

/** A merchant’s debt in one currency, zero or below. Refunds: those that no captures covered. */
type Debt = { readonly fees: Sum; readonly refunds: Sum }

/** The settlement fee in one currency. */
export type SettlementFee = {
  readonly at: Instant
  readonly currency: string
  readonly taxcode: string
  readonly fee: MinorUnits
  readonly vat: MinorUnits
}

type Settlements = {
  readonly started: number
  readonly made: number
  /** Ids of settlements that are started and not completed. */
  readonly settlementIds: Readonly<Record<number, string>>
  /** Amounts not yet ordered, by settlement. */
  readonly unordered: Readonly<Record<number, readonly PayoutAmount[]>>
  readonly debts: Readonly<Record<string, Debt>>
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
    }
  | {
      readonly type: 'OrderPayout'
      readonly serial: number
      readonly messageId: string
      readonly payoutAccount: string
      readonly payoutDay: string
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
const withSettlementFees = (totals: Totals, terms: Readonly<Record<string, FeeTerms>>): Totals => {
  const settled = new Set(totals.map(({ currency }) => currency))
  let after = totals
  for (const { currency, taxcode, fee, vat } of settlementFeesBy(terms, 0))
    if (settled.has(currency)) {
      const fees = { settlement_fee: fee, settlement_fee_vat: vat }
      after = addToTotals(after, { currency, taxcode, fees })
    }
  return after
}

const isOwed = (sum: Sum): boolean => sum.startsWith('-')
const debtOnly = (sum: Sum): Sum => (isOwed(sum) ? sum : '0')

/**
 * Never pays less than zero; the rest becomes debt. Captures cover refunds first, and what is then
 * missing is owed for fees as far as there are any.
 */
const payoutOf = (totals: Totals, currency: string, before: Debt): Payout => {
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
    unsettledFeesBefore: before.fees,
    unsettledFeesAfter: feesAfter,
    ...(before.refunds !== '0' && { unsettledRefundsBefore: before.refunds }),
    ...(refundsAfter !== '0' && { unsettledRefundsAfter: refundsAfter }),
    payout: isOwed(balance) ? '0' : balance,
    billed: '0',
    invoiceId: null,
  }
}

const noDebt: Debt = { fees: '0', refunds: '0' }

const decide = (command: SettlementCommand, state: Settlements): readonly SettlementEvent[] => {
  switch (command.type) {
    case 'StartSettlement': {
      const { serial, settlementId, dueAt } = command
      if (serial !== state.started + 1) return []
      return [{ type: 'SettlementStarted', data: { serial, settlementId, dueAt } }]
    }
    case 'CompleteSettlement': {
      const { serial, completion, terms, payoutDay } = command
      if (serial <= state.made) return []
      const settlementId = state.settlementIds[serial] ?? refuse('resource_is_unknown')
      // In order, because each settlement starts with the debt of the one before.
      if (serial !== state.made + 1) return refuse('conflicting_changes')
      const totals = withSettlementFees(completion.totals, terms)
      const payouts = [...new Set(totals.map(({ currency }) => currency))].map((currency) =>
        payoutOf(totals, currency, state.debts[currency] ?? noDebt),
      )
      const sums = { ...completion, totals: [...totals], payouts }
      return [{ type: 'SettlementMade', data: { serial, settlementId, ...sums, payoutDay } }]
    }
    case 'OrderPayout': {
      const { type: _, ...order } = command
      const paid = state.unordered[order.serial]
      return paid ? [{ type: 'PayoutOrdered', data: { ...order, paid: [...paid] } }] : []
    }
  }
}

/** A merchant’s settlements; two processes that settle at the same time make one. */
export const settlement: Decider<SettlementCommand, SettlementEvent, Settlements> = {
  initial: { started: 0, made: 0, settlementIds: {}, unordered: {}, debts: {} },
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
        const debts = { ...state.debts }
        for (const { currency, unsettledFeesAfter: fees, unsettledRefundsAfter } of payouts)
          debts[currency] = { fees, refunds: unsettledRefundsAfter ?? '0' }
        const toPay = amountsOf(payouts)
        const unordered =
          toPay.length > 0 ? { ...state.unordered, [serial]: toPay } : state.unordered
        return { ...state, made: serial, settlementIds, unordered, debts }
      }
      case 'PayoutOrdered': {
        const { [event.data.serial]: _, ...unordered } = state.unordered
        return { ...state, unordered }
      }
    }
  },
}

/** Amounts above zero. */
export const amountsOf = (payouts: readonly Payout[]): readonly PayoutAmount[] =>
  payouts.flatMap(({ currency, payout }) => (payout === '0' ? [] : { currency, amount: payout }))

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
