import { describe, expect, test } from 'vitest'
import { settlementQueries } from '../../projections/settlements.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

describe('the settlements', () => {
  const name = (serial: number) => ({ serial, settlementId: `s-${serial}` })
  const stream = 'settlement-sandbox'
  const made = (serial: number, payout: string) => {
    happened(stream, { type: 'SettlementStarted', data: { ...name(serial), dueAt: null } })
    const fees = { unsettledFeesBefore: '0', unsettledFeesAfter: '0', billed: '0' }
    const paid = { currency: 'NOK', gross: payout, net: payout, payout, invoiceId: null }
    const sums = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }
    const payouts = [{ ...paid, ...fees }]
    const data = { ...name(serial), ...sums, payouts, payoutDay: '2026-11-23' }
    happened(stream, { type: 'SettlementMade', data })
  }
  const serials = (rows: readonly { readonly serial: number }[]) => rows.map((row) => row.serial)

  test('that are made are listed newest first, a page before one that was seen', () => {
    const { list } = settlementQueries(file.db)
    for (const serial of [1, 2, 3]) made(serial, '100')
    happened(stream, { type: 'SettlementStarted', data: { ...name(4), dueAt: null } })
    expect(serials(list('sandbox', 9, 2))).toEqual([3, 2])
    expect(serials(list('sandbox', 2, 2))).toEqual([1])
    expect(list('other', 9, 2)).toEqual([])
  })

  test('with something to pay are found until the bank was asked', () => {
    const { payable, orderedBy } = settlementQueries(file.db)
    made(1, '100')
    made(2, '0')
    made(3, '50')
    expect(serials(payable())).toEqual([1, 3])
    const order = { messageId: 'm', payoutAccount: 'NO93', payoutDay: '2026-11-23', paid: [] }
    happened(stream, { type: 'PayoutOrdered', data: { serial: 1, ...order } })
    expect(serials(payable())).toEqual([3])
    expect(serials(orderedBy('m'))).toEqual([1])
    expect(orderedBy('n')).toEqual([])
  })
})

test('the settlements to be made next are found by the one before each', () => {
  const plans = file.plansOf(() => settlementQueries(file.db), 'not exists')
  expect(plans).toHaveLength(1)
  expect(plans.flat().filter((step) => step.includes('earlier'))).toEqual([
    expect.stringMatching(/^SEARCH earlier USING INDEX sqlite_autoindex_settlements_1 \(key=\?\)/),
  ])
})
