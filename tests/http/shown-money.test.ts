import { describe, expect, test } from 'vitest'
import { currencies, decimalsOf } from '../../domain/money/currency.ts'
import { plainAmounts, minorText } from '../../web/ui/money.tsx'

/** The digits of a text, ignoring everything else. */
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

describe('an amount on a page', () => {
  test.each(['en-GB', 'nb-NO'])('is exact in every currency, for a reader of %s', (locale) => {
    for (const currency of currencies)
      expect(`${currency} ${digitsOf(minorText(123_456_789, currency, locale))}`).toBe(
        `${currency} 123456789`,
      )
  })

  test.each([
    [1256, 'HUF', 'HUF 12.56'],
    [40, 'PKR', 'PKR 0.40'],
    [1234, 'IQD', 'IQD 1.234'],
    [1250, 'JPY', 'JP¥1,250'],
    [123_450, 'EUR', '€1,234.50'],
  ])('of %i in %s is %s', (minor, currency, shown) => {
    expect(minorText(minor, currency, 'en-GB').replaceAll('\u00a0', ' ')).toBe(shown)
  })

  test.each([
    ['en-GB', '−NOK 12.50'],
    ['nb-NO', '−12,50 kr'],
  ])('below zero has the same minus sign in %s', (locale, shown) => {
    expect(minorText(-1250, 'NOK', locale).replaceAll('\u00a0', ' ')).toBe(shown)
    expect(plainAmounts(locale, 'NOK')(-1250).startsWith('−12')).toBe(true)
  })

  test('keeps the largest amount that can be asked for exact', () => {
    const minor = Number.MAX_SAFE_INTEGER
    expect(decimalsOf('IDR')).toBe(2)
    expect(digitsOf(minorText(minor, 'IDR', 'en-GB'))).toBe(String(minor))
  })
})
