import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inexactNumber, readJson } from '../../http/exact-json.ts'
import { textOfNumber } from '../../http/wire.ts'

const readText = (text: string) => readJson(new TextEncoder().encode(text))
const valueOf = (text: string): unknown => {
  const read = readText(text)
  return 'value' in read ? read.value : read.problem
}

test('given JSON without numbers that a float loses, then it is read as JSON.parse does', () => {
  const json = fc.json({ maxDepth: 5 }).filter((text) => !/\d[eE]/.test(text))
  fc.assert(fc.property(json, (text) => void expect(valueOf(text)).toEqual(JSON.parse(text))))
})

test('given any text, then it is read exactly where JSON.parse reads it', () => {
  const pieces = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '1', '-', '.', 'e', '+', '0', 'true', ' '],
  )
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      expect(['value' in readText(text), text]).toEqual([isJson(text), text])
    }),
    { numRuns: 2_000 },
  )
})

describe('a number', () => {
  test.each(['0', '-1', '12.50', '100.0000000000000000000', '0.000001', '123456789012.345'])(
    '%s is a number',
    (number) => expect(valueOf(number)).toBe(Number(number)),
  )

  test.each(['1e1', '0.0000001', '12345678901234567', '0.30000000000000001', '-1E-400'])(
    '%s keeps its text',
    (number) => {
      const [read] = valueOf(`[${number}]`) as unknown[]
      expect(inexactNumber(read)).toBe(number)
    },
  )

  test.each([1, 1_000])('of which there are %s has its share of 100,000 characters', (count) => {
    const longest = `1.${'0'.repeat(100_000 / count - 3)}1`
    const list = (last: string) => `[${[...Array(count - 1).fill(longest), last].join(',')}]`
    const read = valueOf(list(longest)) as unknown[]
    expect(inexactNumber(read.at(-1))).toBe(longest)
    const problem = 'is JSON of more than 100000 characters of inexact numbers'
    for (const more of [`${longest}1`, '1'.repeat(1_048_576), `1e${'9'.repeat(1_048_576)}`])
      expect(valueOf(list(more))).toBe(problem)
  })
})

test('given any decimal, then its text is what was written, zeros at the end aside', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 0n, max: 10n ** 12n }))
    .map(([whole, decimals]) => `${whole}.${decimals}1`)
  fc.assert(
    fc.property(decimal, (text) => {
      const [read] = valueOf(`[${text}]`) as unknown[]
      expect(textOfNumber(read)).toBe(text)
    }),
  )
})

/** The minimum of several tries, because the machine is shared. */
const msToRead = (bytes: Uint8Array): number => {
  const tries = Array.from({ length: 5 }, () => {
    const began = performance.now()
    readJson(bytes)
    return performance.now() - began
  })
  return Math.min(...tries)
}

describe('the time to read a text', () => {
  test.each([
    ['brackets that are never closed', '', '['],
    ['objects within objects', '', '{"a":'],
    ['numbers with an exponent', '[', '1e1,'],
    ['one number without an end', '', '1'],
    ['one text of escaped quotes', '"', '\\"'],
    ['one text of surrogates', '"', '\\ud83d\\ude00'],
    ['texts', '[', '"",'],
    ['blanks', '[', ' '],
  ])('of %s is in proportion to its bytes', (_, begin, piece) => {
    const ofSize = (size: number) =>
      new TextEncoder().encode((begin + piece.repeat(size / piece.length)).slice(0, size))
    const [small, large] = [65_536, 8 * 65_536].map((size) => msToRead(ofSize(size))) as [
      number,
      number,
    ]
    // Quadratic time would take 64 times as long; the rest allows for a busy machine.
    expect(large).toBeLessThan(24 * small + 200)
  })
})
