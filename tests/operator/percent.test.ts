import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ratePattern } from '../../domain/money/money.ts'
import { percentOf, rateOfPercent } from '../../web/operator/fee-form.tsx'

test.each([
  ['0', '0'],
  ['0,9', '0.009'],
  ['1.75 %', '0.0175'],
  ['7', '0.07'],
  ['100', '1'],
  ['0.0001', '0.000001'],
])('a typed percent of %s is the rate %s', (typed, rate) => {
  expect(rateOfPercent(typed)).toBe(rate)
})

test.each(['', '101', '-1', '1.2.3', 'x', '1e2', '0.00000000001'])(
  '%s is not a percentage',
  (typed) => {
    expect(rateOfPercent(typed)).toBeUndefined()
  },
)

test('a rate that is shown as a percent is read back as the same number', () => {
  const rates = fc
    .integer({ min: 0, max: 10 ** 9 })
    .map((parts) => (parts / 10 ** 9).toFixed(9))
    .filter((rate) => ratePattern.test(rate))
  fc.assert(
    fc.property(rates, (rate) => {
      expect(Number(rateOfPercent(percentOf(rate)))).toBe(Number(rate))
    }),
  )
})
