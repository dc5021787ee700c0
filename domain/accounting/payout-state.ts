import type { Sum } from '../money/money.ts'
import { amountsOf } from './settlement.ts'
import {
  endToEndId,
  type PayoutOrdered,
  type PayoutPaid,
  type PayoutReturned,
  type ReturnReason,
} from './payout-events.ts'
import type { SettlementMade } from './settlement-events.ts'

/** A returned payout is due again. */
export const payoutStatuses = ['returned', 'due', 'ordered', 'paid'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export type PayoutOrder = {
  readonly messageId: string
  readonly endToEndId: string
  readonly payoutAccount: string
  readonly day: string
}

/** The state of a settlement's payout in one currency. */
export type PayoutState = {
  readonly currency: string
  readonly amount: Sum
  readonly status: PayoutStatus
  /** When it is to be paid, `YYYY-MM-DD`. */
  readonly day: string
  /** The last order is the current one; the others were returned. */
  readonly orders: readonly PayoutOrder[]
  readonly paid: { readonly on: string; readonly entry: string } | null
  /** The latest return. */
  readonly returned: {
    readonly on: string
    readonly reason: ReturnReason
    readonly entry: string | null
  } | null
}

export const duePayouts = ({ payouts, payoutDay: day }: SettlementMade): readonly PayoutState[] =>
  amountsOf(payouts).map(({ currency, amount }) => ({
    ...{ currency, amount, status: 'due', day },
    ...{ orders: [], paid: null, returned: null },
  }))

export const isToOrder = ({ status }: Pick<PayoutState, 'status'>): boolean =>
  status === 'due' || status === 'returned'

/** An order of the first version has no amounts and covers everything. */
export const withOrder = (
  payouts: readonly PayoutState[],
  settlementId: string,
  { paid, messageId, payoutAccount, payoutDay: day }: PayoutOrdered,
): readonly PayoutState[] =>
  payouts.map((one) => {
    const ordered = paid.find(({ currency }) => currency === one.currency)
    if (!ordered && paid.length > 0) return one
    const id = endToEndId(settlementId, one.currency, ordered?.attempt)
    const order = { messageId, endToEndId: id, payoutAccount, day }
    return { ...one, status: 'ordered', day, orders: [...one.orders, order] }
  })

const withChange = (
  payouts: readonly PayoutState[],
  wanted: string,
  change: Partial<PayoutState>,
): readonly PayoutState[] =>
  payouts.map((one) => (one.currency === wanted ? { ...one, ...change } : one))

export const withPayment = (
  payouts: readonly PayoutState[],
  { currency, day: on, entry }: PayoutPaid,
): readonly PayoutState[] => withChange(payouts, currency, { status: 'paid', paid: { on, entry } })

export const withReturn = (
  payouts: readonly PayoutState[],
  { currency, day: on, reason, entry }: PayoutReturned,
): readonly PayoutState[] =>
  withChange(payouts, currency, { status: 'returned', paid: null, returned: { on, reason, entry } })

/** The status of the payout that most needs action; null if there is none. */
export const statusOfAll = (payouts: readonly PayoutState[]): PayoutStatus | null =>
  payoutStatuses.find((status) => payouts.some((one) => one.status === status)) ?? null
