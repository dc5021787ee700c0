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
  /** The bank's entries that count for it, oldest first. */
  readonly debits: readonly string[]
  readonly credits: readonly string[]
  /** Whether the bank refused to pay it. */
  readonly isRejected: boolean
}

/** The number of facts by which the decider knows whether the caller has seen them all. */
export const factsOf = ({ debits, credits, isRejected }: PayoutOrder): number =>
  debits.length + credits.length + Number(isRejected)

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
    currency,
    amount,
    status: 'due',
    day,
    orders: [],
    paid: null,
    returned: null,
  }))

export const isToOrder = ({ status }: Pick<PayoutState, 'status'>): boolean =>
  status === 'due' || status === 'returned'

const noFacts = { debits: [], credits: [], isRejected: false }

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
    const order = { messageId, endToEndId: id, payoutAccount, day, ...noFacts }
    return { ...one, status: 'ordered', day, orders: [...one.orders, order] }
  })

const withFact = (
  payouts: readonly PayoutState[],
  { currency, messageId }: PayoutPaid | PayoutReturned,
  factIn: (order: PayoutOrder) => Partial<PayoutOrder>,
  change: Partial<PayoutState>,
): readonly PayoutState[] =>
  payouts.map((one) => {
    if (one.currency !== currency) return one
    const orders = one.orders.map((order) =>
      order.messageId === messageId ? { ...order, ...factIn(order) } : order,
    )
    return { ...one, orders, ...change }
  })

export const withPayment = (
  payouts: readonly PayoutState[],
  event: PayoutPaid,
): readonly PayoutState[] => {
  const { day: on, entry } = event
  const factIn = ({ debits }: PayoutOrder) => ({ debits: [...debits, entry] })
  return withFact(payouts, event, factIn, { status: 'paid', paid: { on, entry } })
}

export const withReturn = (
  payouts: readonly PayoutState[],
  event: PayoutReturned,
): readonly PayoutState[] => {
  const { day: on, reason, entry } = event
  const factIn = ({ credits }: PayoutOrder) =>
    entry === null ? { isRejected: true } : { credits: [...credits, entry] }
  const change = { status: 'returned', paid: null, returned: { on, reason, entry } } as const
  return withFact(payouts, event, factIn, change)
}

/** The status of the payout that most needs action; null if there is none. */
export const statusOfAll = (payouts: readonly PayoutState[]): PayoutStatus | null =>
  payoutStatuses.find((status) => payouts.some((one) => one.status === status)) ?? null
