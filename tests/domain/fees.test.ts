import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  chargeFor,
  chargeForRefund,
  fees,
  noFees,
  termsInForce,
  vatOn,
  type FeeSchedule,
  type FeeTerms,
} from '../../domain/accounting/fees.ts'
import { fold } from '../../domain/decider.ts'
import { divideHalfEven, portionOf } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'

const terms = (changes: Partial<FeeTerms>): FeeTerms => ({ ...noFees, ...changes })

const schedule = (changes: Partial<FeeSchedule>): FeeSchedule => ({
  ...noFees,
  from: 0,
  currency: 'NOK',
  ...changes,
})

const amount = fc.integer({ min: 0, max: 10 ** 14 })

const rate = fc.integer({ min: 0, max: 1_000_000 }).map((ppm) => (ppm / 1e6).toFixed(6))

describe('rounding', () => {
  test.each([
    ['0.5', 5, 2],
    ['0.5', 7, 4],
    ['0.5', -5, -2],
    ['0.5', -7, -4],
    ['0.009', 20_000, 180],
    ['0.0025', 1_000, 2],
    ['0.0025', 3_000, 8],
    ['1', 123, 123],
    ['0', 123, 0],
  ])('a rate of %s of %i minor units is %i: a half goes to the even one', (rate, whole, part) => {
    expect(portionOf(whole, rate)).toBe(part)
  })

  test('a rate is exact where a float is not', () => {
    expect(45 * 0.7).toBeLessThan(31.5)
    expect(portionOf(45, '0.7')).toBe(32)
    // The product ends in exactly one half, which a float cannot represent.
    expect(portionOf(4_503_599_627_370_495, '0.9')).toBe(4_053_239_664_633_446)
  })

  test('the rounded quotient is never further than half away, and even when between', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
        const rest = 2n * (dividend - divideHalfEven(dividend, divisor) * divisor)
        const distance = rest < 0n ? -rest : rest
        expect(distance <= divisor).toBe(true)
        if (distance === divisor) expect(divideHalfEven(dividend, divisor) % 2n).toBe(0n)
      }),
    )
  })
})

describe('the charge for a capture', () => {
  const pots = { amount: 5_000, additionalAmount: 1_000 }

  test('is a rate of both pots and a fixed part, rounded once', () => {
    const given = terms({ transactionRate: '0.009', transactionFixed: 25 })
    expect(chargeFor(pots, false, given)).toEqual({
      fee: 79,
      interchange: 0,
      vat: 0,
      taxcode: 'NO:2013',
    })
  })

  test.each([
    [500, 10],
    [1_500, 18],
  ])('of %i with half a unit too much is %i: the whole fee goes to the even one', (amount, fee) => {
    const given = terms({ transactionRate: '0.009', transactionFixed: 5 })
    expect(chargeFor({ amount, additionalAmount: 0 }, false, given).fee).toBe(fee)
  })

  test('is refused when it is beyond what can be counted exactly', () => {
    const given = terms({ transactionRate: '1', transactionFixed: Number.MAX_SAFE_INTEGER })
    expect(() => chargeFor(pots, false, given)).toThrow(new Refusal('amount_is_too_large'))
  })

  test('has interchange only when the payment is credit', () => {
    const given = terms({ interchangeRate: '0.01' })
    expect(chargeFor(pots, false, given).interchange).toBe(0)
    expect(chargeFor(pots, true, given).interchange).toBe(60)
  })

  test('is nothing for a new merchant', () => {
    expect(chargeFor(pots, true, noFees)).toMatchObject({ fee: 0, interchange: 0, vat: 0 })
  })

  test('carries a quarter of VAT on permissions and none on payments', () => {
    expect(vatOn('permission', 200, 'NO:2013')).toBe(50)
    expect(vatOn('transaction', 200, 'NO:2013')).toBe(0)
  })
})

describe('the charge for a refund', () => {
  const charged = { fee: 101, interchange: 33, vat: 0 }
  const captured = { amount: 900, additionalAmount: 99 }
  const none = { fee: 0, interchange: 0, vat: 0 }

  test('returns nothing unless the terms say so', () => {
    const basis = {
      charged,
      captured,
      returned: none,
      refundedWithFees: { amount: 0, additionalAmount: 0 },
    }
    expect(chargeForRefund(captured, basis, noFees)).toMatchObject({ fee: 0, interchange: 0 })
  })

  test('returns, in any number of parts, exactly what was charged, never more on the way', () => {
    const giving = terms({ refundsReturnFees: true })
    const parts = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(parts, amount, amount, (sizes, fee, interchange) => {
        const whole = { amount: sizes.reduce((sum, size) => sum + size, 0), additionalAmount: 0 }
        let returned = none
        let refunded = { amount: 0, additionalAmount: 0 }
        for (const size of sizes) {
          const pots = { amount: size, additionalAmount: 0 }
          const basis = {
            charged: { fee, interchange, vat: 0 },
            captured: whole,
            returned,
            refundedWithFees: refunded,
          }
          const given = chargeForRefund(pots, basis, giving)
          expect(given.fee).toBeLessThanOrEqual(0)
          returned = {
            fee: returned.fee - given.fee,
            interchange: returned.interchange - given.interchange,
            vat: 0,
          }
          refunded = { ...refunded, amount: refunded.amount + size }
          expect(returned.fee).toBeLessThanOrEqual(fee)
        }
        expect(returned).toEqual({ fee, interchange, vat: 0 })
      }),
    )
  })
})

describe('the schedules of a merchant', () => {
  test('the latest date that has come counts, whatever the order in which they were set', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ from: fc.nat(100), transactionRate: rate }), { maxLength: 10 }),
        fc.nat(120),
        (given, at) => {
          const schedules = given.map(schedule)
          const begun = schedules.filter(({ from }) => from <= at)
          const latest = Math.max(...begun.map(({ from }) => from))
          const expected = begun.findLast(({ from }) => from === latest)?.transactionRate ?? '0'
          expect(termsInForce(schedules, 'NOK', 'NOK', at).transactionRate).toBe(expected)
        },
      ),
    )
  })

  test('a currency without one has the rates of the merchant’s own, and no fixed parts', () => {
    const rates = { transactionRate: '0.02', interchangeRate: '0.01', refundsReturnFees: true }
    const fixed = { transactionFixed: 180, permissionFixed: 200, settlementFixed: 1500 }
    const own = schedule({ ...rates, ...fixed })
    const schedules = [own, schedule({ currency: 'USD', transactionRate: '0.5', from: 9 })]
    const termsFor = (currency: string, at: number) => termsInForce(schedules, currency, 'NOK', at)
    expect(termsFor('NOK', 1)).toMatchObject({ ...rates, ...fixed })
    expect(termsFor('EUR', 9)).toEqual({
      ...own,
      transactionFixed: 0,
      permissionFixed: 0,
      settlementFixed: 0,
    })
    expect(termsFor('USD', 8).transactionRate).toBe('0.02')
    expect(termsFor('USD', 9).transactionRate).toBe('0.5')
    expect(termsInForce(schedules, 'EUR', 'SEK', 9)).toEqual(noFees)
  })

  test('setting the same again changes nothing; an invalid rate is refused', () => {
    const set = (changes: Partial<FeeSchedule>, before: readonly FeeSchedule[] = []) =>
      fees.decide({ type: 'ScheduleFees', schedule: schedule(changes) }, before)
    const first = set({ from: 7, transactionFixed: 1 })
    const known = fold(fees, first)
    expect(first).toHaveLength(1)
    expect(set({ from: 7, transactionFixed: 1 }, known)).toEqual([])
    expect(set({ from: 7, transactionFixed: 2 }, known)).toHaveLength(1)
    expect(() => set({ transactionRate: '1.5' })).toThrow('fees are malformed')
    expect(() => set({ transactionFixed: -1 })).toThrow('fees are malformed')
  })
})
