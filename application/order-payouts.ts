import type { SettlementMade } from '../domain/accounting/settlement-events.ts'
import { settlements } from '../domain/aggregates.ts'
import { payoutDay, type IsHoliday } from '../domain/calendar.ts'
import type { Instant } from '../domain/time.ts'
import type { TimeZone } from '../domain/time-zone.ts'
import type { Context, Handle } from './handle.ts'
import { nextTurn } from './time-budget.ts'

type Payable = {
  readonly merchant: string
  readonly serial: number
  readonly made: SettlementMade | null
}

type Account = { readonly payoutAccount: string | null }

type Needs = {
  readonly handle: Handle
  readonly now: () => Instant
  /** The bank's. */
  readonly timeZone: TimeZone
  readonly settlements: { payable(): readonly Payable[] }
  readonly settlementAccounts: { find(merchant: string): Account | undefined }
  readonly holidaysOf: (merchant: string) => Promise<IsHoliday>
  readonly contextOf: (merchant: string) => Context
}

/** Where the money of an ordered payout is held until it is on the bank's statement. */
const heldIn = 'payout_clearing' as const

/** Batch size; requests are answered between batches. */
const atOnce = 100

type End = 'ordered' | 'ordered by another' | 'without account'

/**
 * Orders every payable payout that has an account, under the id of one payment message. Repeating
 * it orders nothing twice.
 */
export const orderPayouts = async (needs: Needs, messageId: string) => {
  const today = needs.now()

  const order = async ({ merchant, serial, made }: Payable): Promise<End> => {
    const payoutAccount = needs.settlementAccounts.find(merchant)?.payoutAccount ?? null
    if (payoutAccount === null) return 'without account'
    // Banks reject past dates; it may be another day there than at the merchant's.
    const isHoliday = await needs.holidaysOf(merchant)
    const { day: earliest } = payoutDay(today, 0, needs.timeZone, isHoliday)
    const planned = made?.payoutDay ?? earliest
    const day = planned < earliest ? earliest : planned
    const payout = { serial, messageId, payoutAccount, payoutDay: day, heldIn }
    const command = { type: 'OrderPayout', ...payout } as const
    const { events } = await needs.handle(settlements, merchant, command, needs.contextOf(merchant))
    return events.length > 0 ? 'ordered' : 'ordered by another'
  }

  const payable = needs.settlements.payable()
  const ends: End[] = []
  for (let from = 0; from < payable.length; from += atOnce) {
    // Wait for all that are in flight, so that nothing is ordered after a failure is reported.
    const some = await Promise.allSettled(payable.slice(from, from + atOnce).map(order))
    for (const end of some) {
      if (end.status === 'rejected') throw end.reason
      ends.push(end.value)
    }
    await nextTurn()
  }
  const count = (kind: End): number => ends.filter((end) => end === kind).length
  return { ordered: count('ordered'), withoutAccount: count('without account') }
}
