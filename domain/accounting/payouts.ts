import { refuse } from '../refusal.ts'
import type { Sum } from '../money/money.ts'
import { heldAfter, type HeldIn, type PayoutAmount, type ReturnReason } from './payout-events.ts'
import type { SettlementEvent } from './settlement-events.ts'

/** A payout from its order until it is returned. */
type Ordered = {
  readonly amount: Sum
  readonly attempt: number
  readonly messageId: string
  readonly heldIn: HeldIn
  /** The bank entry that paid it. */
  readonly paidBy: string | null
}

export type Payouts = {
  /** Amounts not yet ordered, or returned, by settlement. */
  readonly unordered: Readonly<Record<number, readonly PayoutAmount[]>>
  /** By settlement and currency. */
  readonly ordered: Readonly<Record<string, Ordered>>
}

export const noPayouts: Payouts = { unordered: {}, ordered: {} }

type Which = {
  readonly serial: number
  readonly currency: string
  readonly messageId: string
  /** The bank's booking date, `YYYY-MM-DD`. */
  readonly day: string
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
  const { serial, currency, messageId, day } = command
  const known = payouts.ordered[keyOf(serial, currency)]
  // It was already returned, or has been ordered again by another message.
  if (known?.messageId !== messageId) return []
  const { amount, heldIn } = known
  const about = { serial, currency, amount, messageId, day }
  if (command.type === 'ConfirmPayout') {
    const { entry } = command
    if (known.paidBy === entry) return []
    if (known.paidBy !== null) return refuse('payout_is_paid')
    return [{ type: 'PayoutPaid', data: { ...about, entry, heldIn } }]
  }
  const { entry, reason } = command
  if (entry === null && known.paidBy !== null) return refuse('payout_is_paid')
  if (entry !== null && known.paidBy === null) return refuse('payout_is_not_paid')
  return [{ type: 'PayoutReturned', data: { ...about, entry, reason, heldIn } }]
}

export const evolvePayouts = (payouts: Payouts, event: Event): Payouts => {
  const { serial } = event.data
  switch (event.type) {
    case 'PayoutOrdered': {
      const { messageId } = event.data
      const { [serial]: amounts = [], ...unordered } = payouts.unordered
      const ordered = { ...payouts.ordered }
      for (const { currency, amount, attempt = 1 } of amounts) {
        const about = { amount, attempt, messageId, heldIn: heldAfter(event.data), paidBy: null }
        ordered[keyOf(serial, currency)] = about
      }
      return { unordered, ordered }
    }
    case 'PayoutPaid': {
      const key = keyOf(serial, event.data.currency)
      const known = payouts.ordered[key]
      if (!known) return payouts
      const paid = { ...known, heldIn: 'bank', paidBy: event.data.entry } as const
      return { ...payouts, ordered: { ...payouts.ordered, [key]: paid } }
    }
    case 'PayoutReturned': {
      const { currency, amount } = event.data
      const { [keyOf(serial, currency)]: known, ...ordered } = payouts.ordered
      const again = { currency, amount, attempt: (known?.attempt ?? 1) + 1 }
      const due = [...(payouts.unordered[serial] ?? []), again]
      return { unordered: { ...payouts.unordered, [serial]: due }, ordered }
    }
  }
}
