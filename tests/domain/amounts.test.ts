import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencies, decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import { refusalOf } from './given.ts'

describe('reading an amount', () => {
  test.each([
    ['12.50', 'NOK', 1250],
    ['12.5', 'NOK', 1250],
    ['12', 'NOK', 1200],
    ['0', 'NOK', 0],
    ['0.00', 'NOK', 0],
    ['0.05', 'NOK', 5],
    ['1200', 'JPY', 1200],
    ['0.001', 'KWD', 1],
    ['12.5', 'KWD', 12_500],
    ['1.0001', 'CLF', 10_001],
    ['999999999999.99', 'NOK', 99_999_999_999_999],
    ['999999999999.999', 'KWD', 999_999_999_999_999],
    ['900719925474.0991', 'CLF', Number.MAX_SAFE_INTEGER],
  ])('"%s" %s is %i minor units', (text, currency, minor) => {
    expect(parseAmount(text, currency)).toBe(minor)
  })

  test.each([
    '',
    ' ',
    '.',
    '.5',
    '5.',
    '05',
    '00',
    '00.50',
    '-1',
    '+1',
    '-0',
    '1e3',
    '1E3',
    '0x10',
    '1,5',
    '1 000',
    ' 1',
    '1 ',
    '1\n',
    '1.2.3',
    '1..2',
    '٣',
    'NaN',
    'Infinity',
    '1_000',
    '1.5\n',
    'x1',
    '1.5x',
  ])('refuses %j, which is no plain decimal', (text) => {
    expect(refusalOf(() => parseAmount(text, 'NOK'))).toBe('amount_is_malformed')
  })

  test.each([
    ['12.505', 'NOK'],
    ['12.500', 'NOK'],
    ['1.0', 'JPY'],
    ['1.0000', 'KWD'],
    ['1.00000', 'CLF'],
  ])('refuses "%s" %s: more decimals than the currency has, even zeros', (text, currency) => {
    expect(refusalOf(() => parseAmount(text, currency))).toBe('amount_has_too_many_decimals')
  })

  test('refuses more than 12 digits before the period', () => {
    expect(parseAmount('999999999999', 'JPY')).toBe(999_999_999_999)
    expect(refusalOf(() => parseAmount('1000000000000', 'JPY'))).toBe('amount_has_too_many_digits')
  })

  test('refuses what no exact integer can count', () => {
    expect(refusalOf(() => parseAmount('900719925474.0992', 'CLF'))).toBe('amount_is_too_large')
  })

  test('gives exactly the value of the digits, for any text that it accepts', () => {
    const plain = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.option(fc.stringMatching(/^\d{1,5}$/)))
      .map(([whole, fraction]) => (fraction === null ? `${whole}` : `${whole}.${fraction}`))
    const text = fc.oneof(plain, fc.stringMatching(/^[\d.+e -]{0,8}$/), fc.string({ maxLength: 6 }))
    fc.assert(
      fc.property(text, fc.constantFrom(...currencies), (text, currency) => {
        let minor: number
        try {
          minor = parseAmount(text, currency)
        } catch (error) {
          return error instanceof Refusal
        }
        const [whole = '', fraction = ''] = text.split('.')
        const scale = 10n ** BigInt(decimalsOf(currency) - fraction.length)
        return BigInt(minor) === BigInt(whole + fraction) * scale
      }),
      { numRuns: 1000 },
    )
  })
})

describe('writing an amount', () => {
  test.each([
    [1250, 'NOK', '12.50'],
    [5, 'NOK', '0.05'],
    [0, 'NOK', '0.00'],
    [-1250, 'NOK', '-12.50'],
    [-5, 'KWD', '-0.005'],
    [0, 'JPY', '0'],
    [1200, 'JPY', '1200'],
    [-7, 'JPY', '-7'],
    [1, 'CLF', '0.0001'],
    [Number.MAX_SAFE_INTEGER, 'NOK', '90071992547409.91'],
  ])('%i minor units of %s are "%s"', (minor, currency, text) => {
    expect(formatAmount(minor, currency)).toBe(text)
  })

  test('is read back as the same amount, in every currency', () => {
    const minor = fc.integer({ min: 0, max: 999_999_999_999 })
    fc.assert(
      fc.property(minor, fc.constantFrom(...currencies), (minor, currency) => {
        const text = formatAmount(minor, currency)
        const decimals = text.split('.')[1]?.length ?? 0
        return decimals === decimalsOf(currency) && parseAmount(text, currency) === minor
      }),
      { numRuns: 1000 },
    )
  })

  test.each([0.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses to write %d, which is no count',
    (minor) => {
      expect(() => formatAmount(minor, 'NOK')).toThrow(
        new RangeError(`${minor} is not an exact amount`),
      )
    },
  )
})
