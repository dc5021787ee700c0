import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findItem, withItem, type ChunkedList } from '../../domain/chunked-list.ts'

const grown = (items: readonly number[]): ChunkedList<number> =>
  items.reduce<ChunkedList<number>>((pieces, item) => withItem(pieces, item), [])

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('a list in pieces', () => {
  test('holds what was added, in order, and finds the first that is wanted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        (n, k) => {
          const pieces = grown(numbers(n))
          expect(pieces.flat()).toEqual(numbers(n))
          expect(findItem(pieces, (item) => item >= k)).toBe(k < n ? k : undefined)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('stays as it was when a longer one is made of it', () => {
    for (const length of [0, 1, 255, 256, 257, 1_000]) {
      const before = grown(numbers(length))
      withItem(before, -1)
      expect(before.flat()).toEqual(numbers(length))
    }
  })

  test('of any length shares all of its pieces with a longer one but the last', () => {
    const before = grown(numbers(10_000))
    const after = withItem(before, -1)
    const shared = after.filter((piece) => before.includes(piece))
    expect(after.length - shared.length).toBe(1)
    expect(before.length).toBeLessThan(100)
    for (const piece of after) expect(piece.length).toBeLessThan(1_000)
  })
})
