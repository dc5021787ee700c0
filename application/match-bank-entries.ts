import {
  planOf,
  type BankFact,
  type MessageOrder,
  type Plan,
  type Rejection,
} from '../domain/accounting/bank-facts.ts'
import type { EntryProblem, Match, SeenEntry } from '../domain/accounting/bank-entry.ts'
import {
  messageOfPayment,
  paymentIdsOf,
  type ReturnReason,
} from '../domain/accounting/payout-events.ts'
import type { Sum } from '../domain/money/money.ts'
import { factsOf, type PayoutState } from '../domain/accounting/payout-state.ts'

/** An entry of a bank statement as parsed from a file. */
export type StatementEntry = Omit<BankFact, 'reason'> & {
  /** The bank's reason for a return. */
  readonly reason: ReturnReason
  /** Fees that were taken off the amount before it was booked. */
  readonly withheld?: string
}

type Settlement = {
  readonly merchant: string
  readonly serial: number
  readonly settlementId: string
  readonly payouts: readonly PayoutState[]
}

/** A payout as an order that an entry or report refers to. */
export type OrderedPayout = MessageOrder & {
  readonly settlement: Settlement
  readonly messageId: string
  /** How many facts of the order are known. */
  readonly known: number
}

/** The outcome for an entry or a rejection. */
export type ImportedOne = {
  readonly outcome: 'paid' | 'returned' | 'received' | 'known' | 'unmatched'
  /** Null for a rejection of a whole message. */
  readonly endToEndId: string | null
  readonly messageId: string | null
  readonly day: string
  /** Null for a rejection. */
  readonly side: BankFact['side'] | null
  readonly amount: { readonly sum: Sum; readonly currency: string } | null
  readonly payouts: readonly OrderedPayout[]
  /** Why it matches no payout, or that no payment of a payer was expected so. */
  readonly problem: EntryProblem | 'unexpected_money' | null
}

type EntryRow = {
  readonly id: string
  readonly entry: SeenEntry
  readonly match: Match | null
}

export type MatchNeeds = {
  readonly settlements: {
    findById(settlementId: string): Settlement | undefined
    orderedBy(messageId: string): readonly Settlement[]
  }
  readonly entries: {
    find(id: string): EntryRow | undefined
    /** Entries that name an order. */
    ofOrder(endToEndId: string): readonly EntryRow[]
    /** Entries that name a message, or a payment information of it. */
    ofMessage(messageId: string): readonly EntryRow[]
  }
}

/** `<settlement id>-<currency>`, with the attempt number appended for later attempts. */
const endToEndPattern = /^(.+)-([A-Z]{3})(?:-\d+)?$/

const orderNamed = ({ settlements }: MatchNeeds, id: string) => {
  const [, settlementId = '', currency] = endToEndPattern.exec(id) ?? []
  return settlements
    .findById(settlementId)
    ?.payouts.find((one) => one.currency === currency)
    ?.orders.find(({ endToEndId }) => endToEndId === id)
}

type Names = Pick<BankFact, 'endToEndId' | 'messageId'> & {
  readonly paymentId?: string | null | undefined
}

/** The message of which the bank speaks: the most particular name decides. Null if none does. */
export const messageNamed = (needs: MatchNeeds, names: Names): string | null => {
  const { endToEndId, messageId, paymentId } = names
  if (endToEndId !== null) return orderNamed(needs, endToEndId)?.messageId ?? null
  const byPayment = paymentId ? messageOfPayment(paymentId) : null
  const isKnown = (id: string | null) => id !== null && needs.settlements.orderedBy(id).length > 0
  return [messageId, byPayment].find(isKnown) ?? null
}

/** The payouts that a message orders, also those that another has ordered again since. */
export const ordersOf = (
  { settlements }: MatchNeeds,
  messageId: string,
): readonly OrderedPayout[] => {
  const found = settlements.orderedBy(messageId).flatMap((settlement) =>
    settlement.payouts.flatMap(({ orders, currency, amount, status }) => {
      const order = orders.find((one) => one.messageId === messageId)
      const isCurrent = order === orders.at(-1)
      const about = { settlement, currency, amount, status, isCurrent }
      return order ? [{ ...order, ...about, known: factsOf(order) }] : []
    }),
  )
  const paymentIdOf = paymentIdsOf(messageId, found)
  return found.map((order) => ({ ...order, paymentId: paymentIdOf(order) }))
}

export type MessagePlan = Plan<OrderedPayout> & {
  readonly orders: readonly OrderedPayout[]
  readonly facts: readonly BankFact[]
}

export const recordedIn = (rows: readonly EntryRow[]): readonly BankFact[] =>
  rows.map(({ id, entry: { problem: _, ...entry } }) => ({ id, ...entry }))

/** What earlier files and this one say of a message, and what follows. */
export const planOfMessage = (
  needs: MatchNeeds,
  messageId: string,
  entries: readonly BankFact[],
  rejections: readonly Rejection[],
): MessagePlan => {
  const orders = ordersOf(needs, messageId)
  const rows = [
    ...needs.entries.ofMessage(messageId).filter(({ entry }) => entry.endToEndId === null),
    ...orders.flatMap(({ endToEndId }) => needs.entries.ofOrder(endToEndId)),
  ]
  const facts = new Map([...recordedIn(rows), ...entries].map((fact) => [fact.id, fact]))
  const all = [...facts.values()]
  return { ...planOf(messageId, orders, all, rejections), orders, facts: all }
}
