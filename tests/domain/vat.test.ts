import fc from 'fast-check'
import { expect, test } from 'vitest'
import { vatOf } from '../../domain/payment/vat.ts'

const item = (total: number, vatRate: string | null, vat: number | null = null) => ({
  total,
  vat,
  vatRate,
})

test.each([
  ['one rate', [item(10_000, '25'), item(2_500, '25.0')], 12_500, [[25, 2_500, 10_000]]],
  ['a part that is kept', [item(10_000, '25')], 6_250, [[25, 1_250, 5_000]]],
  ['the VAT that the shop has told', [item(10_000, '25', 1_999)], 10_000, [[25, 1_999, 8_001]]],
  ['a rate with decimals', [item(10_550, '5.5')], 10_550, [[5.5, 550, 10_000]]],
  ['a discount', [item(10_000, '25'), item(-5_000, '25')], 5_000, [[25, 1_000, 4_000]]],
  ['none told', [item(10_000, null)], 10_000, []],
  ['VAT without its rate', [item(10_000, null, 500)], 10_000, [['unknown', 500, 9_500]]],
  ['no items', [], 0, []],
  ['everything refunded', [item(10_000, '25')], 0, []],
])('given %s, each rate has its VAT and what it is of', (_, items, kept, expected) => {
  const { parts, isOfAll } = vatOf(items, kept)
  expect(parts.map(({ rate, vat, net }) => [rate, vat, net])).toEqual(expected)
  expect(isOfAll).toBe(false)
})

test('given items of two rates, the VAT of a part is not guessed: that of all is named so', () => {
  const items = [item(12_500, '25'), item(11_500, '15'), item(1_000, null)]
  const parts = [
    { rate: 25, vat: 2_500, net: 10_000 },
    { rate: 15, vat: 1_500, net: 10_000 },
  ]
  expect(vatOf(items, 25_000)).toEqual({ isOfAll: false, parts })
  expect(vatOf(items, 12_500)).toEqual({ isOfAll: true, parts })
})

const rate = fc.constantFrom(0, 6, 12, 15, 20, 25)

test('given items of one rate, VAT and net are what is kept, and the rate of it to a unit', () => {
  const totals = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(
      rate,
      totals,
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (percent, all, share) => {
        const items = all.map((total) => item(total, String(percent)))
        const kept = Math.max(1, Math.floor(all.reduce((sum, one) => sum + one, 0) * share))
        const [part] = vatOf(items, kept).parts
        expect((part?.vat ?? NaN) + (part?.net ?? NaN)).toBe(kept)
        const exact = kept - kept / (1 + percent / 100)
        expect(Math.abs((part?.vat ?? NaN) - exact)).toBeLessThan(items.length / 2 + 0.6)
      },
    ),
  )
})
