import { payoutDay } from '../../domain/calendar.ts'
import type { Causes } from '../../domain/causes.ts'
import { dateIn } from '../../domain/time-zone.ts'
import type { settlement, SettlementCommand } from '../../domain/accounting/settlement.ts'
import type { SettlementEvent } from '../../domain/accounting/settlement-events.ts'

type Settlements = (typeof settlement)['initial']

export const settlementCauses: Causes<SettlementCommand, SettlementEvent, Settlements> = {
  SettlementStarted: ({ serial, dueAt }, { id: merchant, at, facts }) => {
    if (dueAt !== null && dueAt > at) return 'it began before it was due'
    return facts.timeZonesOf(merchant).map((zone) => {
      const settlementId = `${facts.seriesOf(merchant)}-${dateIn(zone, at)}-${serial}`
      return { type: 'StartSettlement', serial, settlementId, dueAt } as const
    })
  },
  /** Its sums are those of the lines that no earlier settlement took. */
  SettlementMade: (data, { id: merchant, at, facts }) => {
    const { serial, settlementId: _, payouts: __, payoutDay: ___, ...made } = data
    const { holidays: recorded = [], ...completion } = made
    const startedAt = facts.settlementStartedAt(merchant, serial) ?? at
    const { counters, totals } = facts.linesOfSettlement(merchant, serial)
    const summed = { ...completion, counters, totals: [...totals] }
    // Of the holidays, the log records only those that postponed the payout.
    const isHoliday = (day: string): boolean => recorded.includes(day)
    const days = facts
      .payoutDelaysOf(merchant)
      .flatMap((delay) =>
        facts.timeZonesOf(merchant).map((zone) => payoutDay(startedAt, delay, zone, isHoliday)),
      )
    return facts.settlementTermsOf(merchant, startedAt).flatMap((terms) =>
      days.map(({ day, holidays }) => {
        const facts = { serial, completion: summed, terms, payoutDay: day, holidays }
        return { type: 'CompleteSettlement', ...facts } as const
      }),
    )
  },
  PayoutOrdered: ({ paid: _, ...order }) => [{ type: 'OrderPayout', ...order }],
  PayoutPaid: ({ amount: _, heldIn: __, ...paid }) => [{ type: 'ConfirmPayout', ...paid }],
  PayoutReturned: ({ amount: _, heldIn: __, ...back }) => [{ type: 'ReturnPayout', ...back }],
}
