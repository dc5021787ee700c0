import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencies, decimalsOf, isCurrency, isKnownCurrency } from '../../domain/money/currency.ts'
import {
  add,
  addUp,
  formatAmount,
  negated,
  parseAmount,
  parseSignedAmount,
  parseUnitPrice,
  subtract,
} from '../../domain/money/money.ts'
import { refusalOf } from './given.ts'

describe('currencies', () => {
  test.each([
    ['NOK', 2],
    ['EUR', 2],
    ['MGA', 2],
    ['MRU', 2],
    ['JPY', 0],
    ['ISK', 0],
    ['KRW', 0],
    ['UGX', 0],
    ['UYI', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['TND', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has %i decimals', (code, decimals) => {
    expect(decimalsOf(code)).toBe(decimals)
  })

  test.each(['SLE', 'VED', 'XAD', 'XCG', 'ZWG'])('%s has come lately and is current', (code) => {
    expect(isCurrency(code)).toBe(true)
    expect(decimalsOf(code)).toBe(2)
  })

  test.each(['ANG', 'BGN', 'BYR', 'CUC', 'HRK', 'MRO', 'SLL', 'STD', 'VEF', 'ZMK', 'ZWL'])(
    '%s has been withdrawn',
    (code) => {
      expect(isCurrency(code)).toBe(false)
    },
  )

  test('what was recorded in a currency since withdrawn can be read and given back', () => {
    expect(isKnownCurrency('BGN')).toBe(true)
    expect(formatAmount(123_456, 'BGN')).toBe('1234.56')
    expect(parseAmount('1234.56', 'BGN')).toBe(123_456)
    expect(currencies).not.toContain('BGN')
    expect(currencies.every(isKnownCurrency)).toBe(true)
  })

  test.each(['XAU', 'XAG', 'XDR', 'XTS', 'XXX', 'nok', 'NO', '', 'NOKK', 'constructor'])(
    'nobody is paid in "%s"',
    (code) => {
      expect(isCurrency(code)).toBe(false)
      expect(isKnownCurrency(code)).toBe(false)
      expect(() => decimalsOf(code)).toThrow(`${code} is not a known ISO 4217 code`)
    },
  )

  test('are those of list one that have a minor unit, each once, sorted', () => {
    expect(currencies).toHaveLength(165)
    expect([...new Set(currencies)].sort()).toEqual(currencies)
    for (const code of currencies) expect(code).toMatch(/^[A-Z]{3}$/)
  })

  test('have no decimals in 17 cases, two in 139, three in 7, four in 2', () => {
    const counts = [0, 0, 0, 0, 0]
    for (const code of currencies) counts[decimalsOf(code)] = (counts[decimalsOf(code)] ?? 0) + 1
    expect(counts).toEqual([17, 0, 139, 7, 2])
  })
})

describe('reckoning', () => {
  test('adds and subtracts exactly', () => {
    expect(add(1250, 1)).toBe(1251)
    expect(subtract(1250, 1)).toBe(1249)
    expect(add(Number.MAX_SAFE_INTEGER - 1, 1)).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('throws before a sum or a difference becomes inexact', () => {
    expect(() => add(Number.MAX_SAFE_INTEGER, 1)).toThrow(RangeError)
    expect(() => subtract(Number.MIN_SAFE_INTEGER, 1)).toThrow(RangeError)
  })

  test('agrees with integers of any size, or throws', () => {
    const minor = fc.maxSafeInteger()
    fc.assert(
      fc.property(minor, minor, (a, b) => {
        for (const [reckon, exact] of [
          [add, BigInt(a) + BigInt(b)],
          [subtract, BigInt(a) - BigInt(b)],
        ] as const) {
          const fits = BigInt(Number(exact)) === exact && Number.isSafeInteger(Number(exact))
          if (fits) expect(BigInt(reckon(a, b))).toBe(exact)
          else expect(() => reckon(a, b)).toThrow(RangeError)
        }
      }),
    )
  })
})

describe('sums beyond what a number counts', () => {
  const large = '9007199254740993'

  test.each([
    ['nothing', [], '0'],
    ['numbers', [1, -3], '-2'],
    ['sums', [large, large], '18014398509481986'],
    ['both', [-1, large], '9007199254740992'],
  ] as const)('are exact, of %s', (_, sums, total) => {
    expect(addUp(...sums)).toBe(total)
  })

  test('are exact wherever numbers cease to be', () => {
    const limit = BigInt(Number.MAX_SAFE_INTEGER)
    const nearLimit = fc.bigInt({ min: limit - 3n, max: limit + 3n })
    const anySign = fc.oneof(
      fc.bigInt(),
      fc.bigInt({ min: -5n, max: 5n }),
      nearLimit,
      nearLimit.map((n) => -n),
    )
    const text = (sum: bigint) => String(sum)
    fc.assert(
      fc.property(fc.array(anySign), (sums) => {
        expect(addUp(...sums.map(text))).toBe(text(sums.reduce((total, sum) => total + sum, 0n)))
      }),
    )
  })

  test('are negated', () => {
    expect([negated(5), negated('-7'), negated(large)]).toEqual(['-5', '7', `-${large}`])
  })

  test('are written with the decimals of their currency', () => {
    expect(formatAmount(large, 'NOK')).toBe('90071992547409.93')
    expect(formatAmount(`-${large}`, 'KWD')).toBe('-9007199254740.993')
  })
})

describe('amounts below zero', () => {
  test.each([
    ['-12.50', -1250],
    ['12.50', 1250],
    ['-0', 0],
    ['-0.00', 0],
  ])('%s is read exactly', (text, minor) => {
    expect(parseSignedAmount(text, 'NOK')).toBe(minor)
  })

  test.each(['--1', '-', '+1', '- 1', '-1.001', '-01'])('%s is refused', (text) => {
    expect(refusalOf(() => parseSignedAmount(text, 'NOK'))).toMatch(/^amount_/)
  })
})

describe('prices of one unit', () => {
  test.each([
    ['1.23', 'NOK', 123, null],
    ['1.2300', 'NOK', 123, null],
    ['1.2', 'NOK', 120, null],
    ['1.23456', 'NOK', 123, '1.23456'],
    ['-1.234500', 'NOK', -123, '-1.2345'],
    ['-0.001', 'NOK', 0, '-0.001'],
    ['0.50', 'JPY', 0, '0.5'],
    ['7.0000', 'JPY', 7, null],
    ['999999999999.999999', 'NOK', 99_999_999_999_999, '999999999999.999999'],
  ])('%s %s is read exactly', (text, currency, minor, exact) => {
    expect(parseUnitPrice(text, currency)).toEqual({ minor, exact })
  })

  test.each([
    ['1.2345678', 'NOK'],
    ['1.2300000', 'NOK'],
    ['1.12345', 'JPY'],
    ['1.23x', 'NOK'],
    ['1.', 'NOK'],
    ['1.', 'JPY'],
    ['.5', 'JPY'],
    ['1e3', 'NOK'],
    ['', 'NOK'],
    ['1234567890123.0001', 'NOK'],
  ])('%s %s is refused', (text, currency) => {
    expect(refusalOf(() => parseUnitPrice(text, currency))).toMatch(/^amount_/)
  })
})
