import type { EntryProblem, Match, SeenEntry } from '../domain/accounting/bank-entry.ts'
import type { ReturnReason } from '../domain/accounting/payout-events.ts'
import type { PayoutOrder, PayoutState } from '../domain/accounting/payout-state.ts'
import { addUp } from '../domain/money/money.ts'

/** An entry of a bank statement as parsed from a file. */
export type StatementEntry = Omit<SeenEntry, 'problem'> & {
  readonly id: string
  /** The bank's reason for a return. */
  readonly reason: ReturnReason
}

type Settlement = {
  readonly merchant: string
  readonly serial: number
  readonly settlementId: string
  readonly payouts: readonly PayoutState[]
}

/** A payout, and the order that an entry or report refers to. */
export type OrderedPayout = {
  readonly settlement: Settlement
  readonly payout: PayoutState
  readonly order: PayoutOrder
}

export type MatchNeeds = {
  readonly settlements: {
    findById(settlementId: string): Settlement | undefined
    orderedBy(messageId: string): readonly Settlement[]
  }
  readonly entries: {
    find(id: string): { readonly entry: SeenEntry; readonly match: Match | null } | undefined
  }
}

type Found = { readonly found: readonly OrderedPayout[] } | { readonly problem: EntryProblem }

/** `<settlement id>-<currency>`, with the attempt number appended for later attempts. */
const endToEndPattern = /^(.+)-([A-Z]{3})(?:-\d+)?$/

const byEndToEndId = ({ settlements }: MatchNeeds, id: string): OrderedPayout | undefined => {
  const [, settlementId = '', currency] = endToEndPattern.exec(id) ?? []
  const settlement = settlements.findById(settlementId)
  const payout = settlement?.payouts.find((one) => one.currency === currency)
  const order = payout?.orders.find(({ endToEndId }) => endToEndId === id)
  return settlement && payout && order && { settlement, payout, order }
}

/** The payouts that a message orders, except those ordered again since. */
export const payoutsOfMessage = (
  { settlements }: MatchNeeds,
  messageId: string,
): readonly OrderedPayout[] =>
  settlements.orderedBy(messageId).flatMap((settlement) =>
    settlement.payouts.flatMap((payout) => {
      const order = payout.orders.at(-1)
      return order?.messageId === messageId ? [{ settlement, payout, order }] : []
    }),
  )

const sumOf = (payouts: readonly OrderedPayout[]): string =>
  addUp(...payouts.map(({ payout }) => payout.amount))

/** Banks may book all payouts of a file, or all of one day, as one entry. */
const inOneEntry = (needs: MatchNeeds, messageId: string, entry: StatementEntry): Found => {
  const known = payoutsOfMessage(needs, messageId).filter(
    ({ payout }) => payout.currency === entry.currency,
  )
  if (known.length === 0) return { problem: 'unknown_payout' }
  // Already paid by an import of this entry that was interrupted or runs concurrently.
  const isOwn = ({ payout }: OrderedPayout) => payout.paid?.entry === entry.id
  const own = known.filter(isOwn)
  const open = known.filter((one) => one.payout.status === 'ordered' || isOwn(one))
  if (open.length === 0) return { problem: 'payout_is_paid' }
  const days = [...new Set(open.map(({ order }) => order.day))]
  const groups = [open, ...days.map((day) => open.filter(({ order }) => order.day === day))]
  const found = groups.find(
    (group) => sumOf(group) === entry.amount && own.every((one) => group.includes(one)),
  )
  return found ? { found } : { problem: 'other_amount' }
}

/** The same transaction may appear in a notification and in a statement, on different days. */
const isToldAgain = (
  { entries }: MatchNeeds,
  { paid }: PayoutState,
  { id, source }: StatementEntry,
): boolean => {
  if (paid === null) return false
  return paid.entry === id || entries.find(paid.entry)?.entry.source.kind !== source.kind
}

const inItsOwnEntry = (needs: MatchNeeds, endToEndId: string, entry: StatementEntry): Found => {
  const found = byEndToEndId(needs, endToEndId)
  if (!found) return { problem: 'unknown_payout' }
  const { payout, order } = found
  const isSame = payout.amount === entry.amount && payout.currency === entry.currency
  if (!isSame) return { problem: 'other_amount' }
  if (entry.messageId !== null && entry.messageId !== order.messageId)
    return { problem: 'other_message' }
  if (payout.returned?.entry === entry.id) return { found: [found] }
  const isCurrent = order === payout.orders.at(-1)
  if (!isCurrent || payout.status === 'returned') return { problem: 'payout_is_not_ordered' }
  const isPaid = payout.status === 'paid'
  if (entry.side === 'credit')
    return isPaid ? { found: [found] } : { problem: 'payout_is_not_paid' }
  if (isPaid && !isToldAgain(needs, payout, entry)) return { problem: 'payout_is_paid' }
  return { found: [found] }
}

/** The payouts that an entry pays or returns, by its ids and amount. */
export const matchEntry = (needs: MatchNeeds, entry: StatementEntry): Found => {
  if (entry.endToEndId !== null) return inItsOwnEntry(needs, entry.endToEndId, entry)
  if (entry.messageId === null || entry.side === 'credit') return { problem: 'names_no_payout' }
  return inOneEntry(needs, entry.messageId, entry)
}
