import { refuse } from '../refusal.ts'
import type { Sum } from '../money/money.ts'
import { heldAfter, type HeldIn, type PayoutAmount, type ReturnReason } from './payout-events.ts'
import type { SettlementEvent } from './settlement-events.ts'

/** The last order of a payout. */
type Ordered = {
  readonly amount: Sum
  readonly attempt: number
  readonly messageId: string
  readonly heldIn: HeldIn
  readonly status: 'ordered' | 'paid' | 'returned'
  /** What the bank has said of this order: ids of entries; null for a refusal to pay. */
  readonly facts: readonly (string | null)[]
}

export type Payouts = {
  /** Amounts not yet ordered, or returned, by settlement. */
  readonly unordered: Readonly<Record<number, readonly PayoutAmount[]>>
  /** By settlement and currency: the last order, also of a payout that came back. */
  readonly ordered: Readonly<Record<string, Ordered>>
}

export const noPayouts: Payouts = { unordered: {}, ordered: {} }

type Which = {
  readonly serial: number
  readonly currency: string
  readonly messageId: string
  /** The bank's booking date, `YYYY-MM-DD`. */
  readonly day: string
  /** How many facts of this order the caller knows; absent in an audit. */
  readonly known?: number
}

export type PayoutCommand =
  | {
      readonly type: 'OrderPayout'
      readonly serial: number
      readonly messageId: string
      readonly payoutAccount: string
      readonly payoutDay: string
      /** Absent only when an audit replays a log that predates the account. */
      readonly heldIn?: 'payout_clearing' | undefined
    }
  | (Which & { readonly type: 'ConfirmPayout'; readonly entry: string })
  | (Which & {
      readonly type: 'ReturnPayout'
      /** Null if the bank refuses it before paying. */
      readonly entry: string | null
      readonly reason: ReturnReason
    })

const keyOf = (serial: number, currency: string): string => `${serial}/${currency}`

type Event = Extract<SettlementEvent, { type: 'PayoutOrdered' | 'PayoutPaid' | 'PayoutReturned' }>

export const decidePayout = (command: PayoutCommand, payouts: Payouts): readonly Event[] => {
  if (command.type === 'OrderPayout') {
    const { type: _, heldIn, ...order } = command
    const paid = payouts.unordered[order.serial]
    if (!paid) return []
    const data = { ...order, paid: [...paid], ...(heldIn && { heldIn }) }
    return [{ type: 'PayoutOrdered', data }]
  }
  const { serial, currency, messageId, day, entry } = command
  const order = payouts.ordered[keyOf(serial, currency)]
  // It has been ordered again by another message, or the bank said so before.
  if (order?.messageId !== messageId || order.facts.includes(entry)) return []
  if ((command.known ?? order.facts.length) !== order.facts.length)
    return refuse('conflicting_changes')
  const { amount, heldIn, status } = order
  const about = { serial, currency, amount, messageId, day }
  if (command.type === 'ConfirmPayout') {
    if (status === 'paid') return refuse('payout_is_paid')
    return [{ type: 'PayoutPaid', data: { ...about, entry: command.entry, heldIn } }]
  }
  if (entry === null && status === 'paid') return refuse('payout_is_paid')
  if (entry === null && status === 'returned') return []
  if (entry !== null && status !== 'paid') return refuse('payout_is_not_paid')
  return [{ type: 'PayoutReturned', data: { ...about, entry, reason: command.reason, heldIn } }]
}

export const evolvePayouts = (payouts: Payouts, event: Event): Payouts => {
  const { serial } = event.data
  const { [serial]: amounts = [], ...others } = payouts.unordered
  if (event.type === 'PayoutOrdered') {
    const { messageId } = event.data
    const ordered = { ...payouts.ordered }
    for (const { currency, amount, attempt = 1 } of amounts) {
      const about = { amount, attempt, messageId, heldIn: heldAfter(event.data) }
      ordered[keyOf(serial, currency)] = { ...about, status: 'ordered', facts: [] }
    }
    return { unordered: others, ordered }
  }
  const { currency, amount, entry } = event.data
  const key = keyOf(serial, currency)
  const order = payouts.ordered[key]
  if (!order) return payouts
  const facts = [...order.facts, entry]
  if (event.type === 'PayoutReturned') {
    const again = { currency, amount, attempt: order.attempt + 1 }
    const back = { ...order, status: 'returned', heldIn: 'payouts_payable', facts } as const
    return {
      unordered: { ...others, [serial]: [...amounts, again] },
      ordered: { ...payouts.ordered, [key]: back },
    }
  }
  // It may have been returned: what was due again is paid now.
  const due = amounts.filter((one) => one.currency !== currency)
  return {
    unordered: due.length > 0 ? { ...others, [serial]: due } : others,
    ordered: { ...payouts.ordered, [key]: { ...order, status: 'paid', heldIn: 'bank', facts } },
  }
}
