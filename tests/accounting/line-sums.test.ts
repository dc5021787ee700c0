import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { postingsOfLine } from '../../domain/accounting/journal.ts'
import { sumLines, type LineSum } from '../../domain/accounting/line-sums.ts'
import { addLine, type Counters, countLine, type Totals } from '../../domain/accounting/totals.ts'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import { addUp } from '../../domain/money/money.ts'
import { turnoverProjection } from '../../projections/turnover.ts'

/**
 * Up to the largest possible amounts: 12 digits before the decimals, of which some currencies have
 * three.
 */
const minor = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 10 ** 15 }))

const signed = fc.oneof(
  minor,
  minor.map((amount) => 0 - amount),
)

const charge = fc.record({
  fee: signed,
  interchange: signed,
  vat: signed,
  taxcode: fc.constantFrom('NO:2013', 'SE:2013'),
})

const line: fc.Arbitrary<TransactionLine> = fc.record({
  position: fc.nat(),
  merchant: fc.constantFrom('a', 'b'),
  ledger: fc.constantFrom('default', 'bar'),
  posId: fc.constantFrom('till-1', 'web', null),
  tid: fc.string(),
  subId: fc.constant(null),
  at: fc.nat(5 * 3_600_000),
  action: fc.constantFrom('auth', 'capture', 'refund', 'permission_answered', 'request'),
  credit: fc.boolean(),
  customer: fc.constant(null),
  currency: fc.constantFrom('NOK', 'KWD'),
  amount: signed,
  additionalAmount: fc.integer({ min: -1_000, max: 1_000 }),
  charge: fc.option(charge),
  text: fc.constant(null),
})

const summed = (lines: readonly TransactionLine[]): readonly LineSum[] => {
  const sums = sumLines()
  for (const one of lines) sums.add(one)
  return sums.take()
}

/** Postings of ledgers and the journal for lines, or for their sums. */
const booked = (lines: readonly (TransactionLine | LineSum)[]) => {
  const ledgers = new Map<string, { counters: Counters; totals: Totals }>()
  const accounts = new Map<string, string>()
  for (const one of lines) {
    const name = `${one.merchant} ${one.ledger}`
    const { counters, totals } = ledgers.get(name) ?? { counters: {}, totals: [] }
    ledgers.set(name, { counters: countLine(counters, one), totals: addLine(totals, one) })
    for (const { account, merchant, currency, amount } of postingsOfLine(one)) {
      const balance = `${account} ${merchant} ${currency}`
      accounts.set(balance, addUp(accounts.get(balance) ?? '0', amount))
    }
  }
  return { ledgers, accounts }
}

/** The turnover of points of sale for sums. */
const turnoverOf = (sums: readonly LineSum[]) => {
  const { keysOf, apply } = turnoverProjection.sums ?? expect.fail('turnover folds sums')
  const rows = new Map<string | number, ReturnType<typeof apply>>()
  for (const sum of sums)
    for (const key of keysOf(sum)) rows.set(key, apply(rows.get(key), sum, key))
  return rows
}

const few = { fee: 180, interchange: 20, vat: 45, taxcode: 'NO:2013' }

describe('sums of lines', () => {
  test('are booked as the lines are, one by one, whatever the amounts', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        expect(booked(summed(lines))).toEqual(booked(lines))
      }),
    )
  })

  test('make the turnover of each half hour and point of sale that the lines make', () => {
    const small = line.map((one) => ({ ...one, amount: one.amount % 1_000_000, charge: few }))
    fc.assert(
      fc.property(fc.array(small, { maxLength: 60 }), (lines) => {
        const oneByOne = lines.flatMap((single) => summed([single]))
        expect(turnoverOf(summed(lines))).toEqual(turnoverOf(oneByOne))
      }),
    )
  })

  const [some] = fc.sample(line, 1) as [TransactionLine]
  const one = { ...some, at: 0, amount: 5, additionalAmount: 0, charge: null }

  test('are one for each kind, as old as its first line', () => {
    const capture = { ...one, action: 'capture', amount: 5, at: 10 } as const
    const refund = { ...capture, action: 'refund', amount: -2, at: 11 } as const
    const sums = summed([capture, refund, { ...capture, tid: 'another', at: 12 }])
    expect(sums.map(({ action, count, amount, at }) => [action, count, amount, at])).toEqual([
      ['capture', 2, 10, 10],
      ['refund', 1, -2, 11],
    ])
  })

  test('are two where lines would cancel out, so that accounts are moved as by each line', () => {
    const dispute = { ...one, action: 'dispute', amount: -5, charge: { ...few, fee: 0 } } as const
    const lines = [dispute, { ...dispute, amount: 5 }]
    expect(summed(lines).map(({ amount }) => amount)).toEqual([-5, 5])
    expect([...booked(summed(lines)).accounts.values()]).toContain('0')
  })

  test('are several where one would no longer be exact, in the order of their first lines', () => {
    const large = { ...one, action: 'capture', amount: 2 ** 49, at: 2 } as const
    const sums = summed([{ ...one, action: 'request', at: 1 }, large, large, large, large])
    expect(sums.map(({ action, count, at }) => [action, count, at])).toEqual([
      ['request', 1, 1],
      ['capture', 2, 2],
      ['capture', 2, 2],
    ])
  })

  test('change no line, and are reported once', () => {
    const charged = { ...one, charge: { fee: 1, interchange: 2, vat: 3, taxcode: 'NO:2013' } }
    const before = structuredClone(charged)
    const sums = sumLines()
    sums.add(charged)
    sums.add(charged)
    expect(charged).toEqual(before)
    expect(sums.take()).toHaveLength(1)
    expect(sums.take()).toEqual([])
  })
})
