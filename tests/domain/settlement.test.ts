import { expect, test } from 'vitest'
import { noFees } from '../../domain/accounting/fees.ts'
import {
  settlement,
  type Payout,
  type SettlementCommand,
  type SettlementEvent,
} from '../../domain/accounting/settlement.ts'
import { fold } from '../../domain/decider.ts'
import { examplesOf } from './given.ts'

const given = examplesOf(settlement)

const started = (serial: number): SettlementEvent => ({
  type: 'SettlementStarted',
  data: { serial, settlementId: `S-2026-01-15-${serial}`, dueAt: null },
})

/** Makes a settlement of lines that add up to an amount, without any fees. */
const complete = (serial: number, amount: string): SettlementCommand => {
  const total = { currency: 'NOK', taxcode: 'NO:2013', amount, additionalAmount: '0', fees: {} }
  const completion = { counters: {}, totals: [total], transactionLogs: [], scopeLogs: [] }
  const terms = { NOK: noFees }
  return { type: 'CompleteSettlement', serial, completion, terms, payoutDay: '2026-01-16' }
}

const payoutsOf = (events: readonly SettlementEvent[]): readonly Payout[] =>
  events.flatMap((event) => (event.type === 'SettlementMade' ? event.data.payouts : []))

test('given two settlements under way, when the later one is made first, then it waits until it can take over the debt of the one before', () => {
  const both = [started(1), started(2)]
  given(...both)
    .when(complete(2, '10000'))
    .thenRefused('conflicting_changes')
  // Refunds of 65.00, and nothing to pay them from.
  const first = settlement.decide(complete(1, '-6500'), fold(settlement, both))
  const second = settlement.decide(complete(2, '10000'), fold(settlement, [...both, ...first]))
  expect(payoutsOf(second)).toMatchObject([
    { unsettledFeesBefore: '-6500', net: '10000', payout: '3500', unsettledFeesAfter: '0' },
  ])
})
