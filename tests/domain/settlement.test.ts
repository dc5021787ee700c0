import { expect, test } from 'vitest'
import { noFees } from '../../domain/accounting/fees.ts'
import { settlement, type SettlementCommand } from '../../domain/accounting/settlement.ts'
import type { Payout, SettlementEvent } from '../../domain/accounting/settlement-events.ts'
import { fold } from '../../domain/decider.ts'
import { examplesOf } from './given.ts'

const given = examplesOf(settlement)

const started = (serial: number): SettlementEvent => ({
  type: 'SettlementStarted',
  data: { serial, settlementId: `S-2026-01-15-${serial}`, dueAt: null },
})

/** Settles lines with the given total, without fees. */
const complete = (serial: number, amount: string): SettlementCommand => {
  const total = { currency: 'NOK', taxcode: 'NO:2013', amount, additionalAmount: '0', fees: {} }
  const completion = { counters: {}, totals: [total], transactionLogs: [], scopeLogs: [] }
  const terms = { NOK: noFees }
  return { type: 'CompleteSettlement', serial, completion, terms, payoutDay: '2026-01-16' }
}

const payoutsOf = (events: readonly SettlementEvent[]): readonly Payout[] =>
  events.flatMap((event) => (event.type === 'SettlementMade' ? event.data.payouts : []))

test('given two settlements, when the later is made first, it waits for the debt before', () => {
  const both = [started(1), started(2)]
  given(...both)
    .when(complete(2, '10000'))
    .thenRefused('conflicting_changes')
  // Refunds of 65.00 that nothing covers.
  const first = settlement.decide(complete(1, '-6500'), fold(settlement, both))
  const second = settlement.decide(complete(2, '10000'), fold(settlement, [...both, ...first]))
  expect(payoutsOf(second)).toMatchObject([
    { unsettledRefundsBefore: '-6500', net: '10000', payout: '3500', unsettledFeesAfter: '0' },
  ])
})

test.each([
  // Captures less refunds, fees, and the resulting debts for fees and for refunds.
  ['0', 1500, '-1500', undefined],
  ['-5000', 1500, '-1500', '-5000'],
  ['1000', 1500, '-500', undefined],
  ['1500', 1500, '0', undefined],
  ['-5000', 0, '0', '-5000'],
])(
  'given captures less refunds of %s and fees of %i, then %s is owed for fees and %s for refunds',
  (amount, settlementFixed, fees, refunds) => {
    const command = complete(1, amount)
    if (command.type !== 'CompleteSettlement') throw new Error('it completes nothing')
    const terms = { NOK: { ...noFees, settlementFixed } }
    const events = settlement.decide({ ...command, terms }, fold(settlement, [started(1)]))
    const [payout] = payoutsOf(events)
    expect([payout?.unsettledFeesAfter, payout?.unsettledRefundsAfter]).toEqual([fees, refunds])
  },
)

test('given an old log’s debt, counted as fees, then later captures pay it as fees', () => {
  const totals = [
    { currency: 'NOK', taxcode: 'NO:2013', amount: '0', additionalAmount: '0', fees: {} },
  ]
  const payouts: Payout[] = [
    {
      ...{
        currency: 'NOK',
        gross: '-6500',
        net: '-6500',
        payout: '0',
        billed: '0',
        invoiceId: null,
      },
      ...{ unsettledFeesBefore: '0', unsettledFeesAfter: '-6500' },
    },
  ]
  const sums = { counters: {}, totals, transactionLogs: [], scopeLogs: [] }
  const about = { serial: 1, settlementId: 'S-2026-01-15-1', payoutDay: '2026-01-16' }
  const made = { type: 'SettlementMade', data: { ...about, ...sums, payouts } } as const
  const second = settlement.decide(
    complete(2, '10000'),
    fold(settlement, [started(1), made, started(2)]),
  )
  expect(payoutsOf(second)).toMatchObject([{ unsettledFeesBefore: '-6500', payout: '3500' }])
})

test('given a debt that is invoiced, then the next settlement has it as billed', () => {
  const first = settlement.decide(complete(1, '-6500'), fold(settlement, [started(1)]))
  const owing = [started(1), ...first]
  const bill = { type: 'BillDebt', currency: 'NOK', invoiceId: 'S-2026-01-15-1-NOK-B' } as const
  const about = { serial: 1, currency: 'NOK', invoiceId: bill.invoiceId }
  const billed = { type: 'DebtBilled', data: { ...about, fees: '0', refunds: '6500' } } as const
  given(...owing)
    .when(bill)
    .then(billed)
  const second = settlement.decide(
    complete(2, '10000'),
    fold(settlement, [...owing, billed, started(2)]),
  )
  expect(payoutsOf(second)).toMatchObject([
    {
      ...{ unsettledRefundsBefore: '-6500', billed: '6500', billedRefunds: '6500' },
      ...{ payout: '10000', invoiceId: bill.invoiceId, unsettledFeesAfter: '0' },
    },
  ])
  const pay = { type: 'PayInvoice', invoiceId: bill.invoiceId, day: '2026-02-01' } as const
  given(...owing, billed)
    .when({ ...pay, amount: '6501', entry: 'bank-1' })
    .thenRefused('payment_exceeds_invoice')
  given(...owing, billed)
    .when({ ...pay, invoiceId: 'another', amount: '1', entry: 'bank-1' })
    .thenRefused('resource_is_unknown')
  given(...owing, billed)
    .when({ ...bill, invoiceId: 'again' })
    .thenRefused('nothing_is_owed')
})
