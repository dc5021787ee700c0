import { payoutDay } from '../calendar.ts'
import type { Causes } from '../causes.ts'
import { dayOf } from '../time.ts'
import type { settlement, SettlementCommand } from './settlement.ts'
import type { SettlementEvent } from './settlement-events.ts'

type Settlements = (typeof settlement)['initial']

export const settlementCauses: Causes<SettlementCommand, SettlementEvent, Settlements> = {
  SettlementStarted: ({ serial, dueAt }, { id: merchant, at, facts }) => {
    if (dueAt !== null && dueAt > at) return 'it began before it was due'
    const settlementId = `${facts.seriesOf(merchant)}-${dayOf(at)}-${serial}`
    return [{ type: 'StartSettlement', serial, settlementId, dueAt }]
  },
  /** Its sums are those of the lines that no earlier settlement took. */
  SettlementMade: (data, { id: merchant, at, facts }) => {
    const { serial, settlementId: _, payouts: __, payoutDay: ___, ...completion } = data
    const startedAt = facts.settlementStartedAt(merchant, serial) ?? at
    const { counters, totals } = facts.linesOfSettlement(merchant, serial)
    const summed = { ...completion, counters, totals: [...totals] }
    const delays = facts.payoutDelaysOf(merchant)
    return facts.settlementTermsOf(merchant, startedAt).flatMap((terms) =>
      delays.map((delay) => {
        const facts = { serial, completion: summed, terms, payoutDay: payoutDay(startedAt, delay) }
        return { type: 'CompleteSettlement', ...facts } as const
      }),
    )
  },
  PayoutOrdered: ({ paid: _, ...order }) => [{ type: 'OrderPayout', ...order }],
}
