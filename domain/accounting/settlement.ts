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
 * What is paid in one currency; debts are zero or below, so that before + net − payout + billed = after, of fees and
 * refunds together.
 */
const payout = z.object({
  currency: z.string(),
  gross: sum,
  net: sum,
  unsettledFeesBefore: sum,
  unsettledFeesAfter: sum,
  /** What refunds took beyond the captures; absent where that was nothing, and in logs that counted it as fees. */
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
 * Events of a merchant's settlements. The position of `SettlementStarted` is the cut: all lines before it that no
 * earlier settlement has taken are in this one. What they add up to follows in `SettlementMade`.
 */
export const settlementEvents = {
  SettlementStarted: z.object({
    serial: z.int(),
    /** `<series of the merchant>-<YYYY-MM-DD>-<serial>`. */
    settlementId: z.string(),
    /** The due time that brought it about; null when somebody asked for it. */
    dueAt: z.int().nullable(),
  }),
  SettlementMade: z.object({
    serial: z.int(),
    settlementId: z.string(),
    ...completion.shape,
    payouts: z.array(payout),
    /** When the bank is to pay, `YYYY-MM-DD`. */
    payoutDay: z.string(),
  }),
  /** The bank has been asked to pay it, by a file with this message id; this happens once. */
  PayoutOrdered: z.object({
    serial: z.int(),
    messageId: z.string(),
    payoutAccount: z.string(),
    payoutDay: z.string(),
    /** What it is to pay. */
    paid: z.array(payoutAmount),
  }),
} as const

export const settlementUpcasts = {
  // The first orders left it to their settlement to say what they pay.
  PayoutOrdered: [(data) => ({ ...(data as object), paid: [] })],
} satisfies Partial<Record<keyof typeof settlementEvents, readonly Upcast[]>>

export type SettlementEvent = EventsOf<typeof settlementEvents>
export type SettlementMade = z.output<typeof settlementEvents.SettlementMade>
export type PayoutOrdered = z.output<typeof settlementEvents.PayoutOrdered>

/** What a merchant owes in one currency, zero or below: fees, and refunds that no captures covered. */
type Debt = { readonly fees: Sum; readonly refunds: Sum }

/** What a settlement costs in a currency. */
export type SettlementFee = {
  /** When the settlement was started. */
  readonly at: Instant
  readonly currency: string
  readonly taxcode: string
  readonly fee: MinorUnits
  readonly vat: MinorUnits
}

type Settlements = {
  readonly started: number
  readonly made: number
  /** Of those that are started and not made. */
  readonly settlementIds: Readonly<Record<number, string>>
  /** What the bank has not been asked to pay yet, of each settlement with something to pay. */
  readonly unordered: Readonly<Record<number, readonly PayoutAmount[]>>
  readonly debts: Readonly<Record<string, Debt>>
}

export type SettlementCommand =
  | {
      readonly type: 'StartSettlement'
      /** The one after the last that the commander knew: another process may have been first. */
      readonly serial: number
      readonly settlementId: string
      readonly dueAt: number | null
    }
  | {
      readonly type: 'CompleteSettlement'
      readonly serial: number
      readonly completion: Completion
      /** In force when it was started, by currency. */
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

/** What a settlement costs by terms, in the order of currencies. */
export const settlementFeesBy = (
  terms: Readonly<Record<string, FeeTerms>>,
  at: Instant,
): readonly SettlementFee[] =>
  Object.entries(terms)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([currency, { settlementFixed: fee, taxcode, vat }]) =>
      fee === 0
        ? []
        : [{ at, currency, taxcode, fee, vat: vatOn('settlement', fee, taxcode, vat) }],
    )

/** The totals of the lines with the fee for settling them, once in each currency. */
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
const least = (sum: Sum): Sum => (isOwed(sum) ? sum : '0')

/**
 * What is paid out of totals in one currency: never less than nothing, and what is missing is owed. Captures cover
 * refunds first; what is missing then is owed for fees, as far as there are any.
 */
const payoutOf = (totals: Totals, currency: string, before: Debt): Payout => {
  const own = totals.filter((total) => total.currency === currency)
  const gross = addUp(...own.map(totalGross))
  const net = addUp(...own.map(totalNet))
  const balance = addUp(before.fees, before.refunds, net)
  const fees = least(addUp(before.fees, net, negated(gross)))
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
      // In order: the debt that one leaves is the debt that the next one finds.
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

/** The settlements of a merchant, one after another; two processes that settle at once make one. */
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

/** What is to be paid, in each currency in which anything is. */
export const amountsOf = (payouts: readonly Payout[]): readonly PayoutAmount[] =>
  payouts.flatMap(({ currency, payout }) => (payout === '0' ? [] : { currency, amount: payout }))

/** What a settlement that is made costs, as its totals tell. */
export const settlementFeesOf = (totals: Totals, at: Instant): readonly SettlementFee[] =>
  totals.flatMap(({ currency, taxcode, fees }) => {
    const [fee, vat] = [Number(fees.settlement_fee ?? 0), Number(fees.settlement_fee_vat ?? 0)]
    return fee === 0 ? [] : [{ at, currency, taxcode, fee, vat }]
  })

/** What the settlement fee and its VAT take in a currency, out of the totals of a settlement. */
export const settlementFeesIn = (totals: Totals, currency: string): { fee: Sum; vat: Sum } => {
  const own = totals.filter((total) => total.currency === currency)
  return {
    fee: addUp(...own.map(({ fees }) => fees.settlement_fee ?? 0)),
    vat: addUp(...own.map(({ fees }) => fees.settlement_fee_vat ?? 0)),
  }
}
