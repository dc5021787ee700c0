import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonEquals } from '../../domain/json-equality.ts'

describe('two JSON values', () => {
  test.each([
    [1, 1],
    ['a', 'a'],
    [null, null],
    [[], []],
    [{}, {}],
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [0, -0],
  ])('%j and %j are the same', (a, b) => {
    expect(jsonEquals(a, b)).toBe(true)
  })

  test.each([
    [1, 2],
    [1, '1'],
    [null, undefined],
    [null, {}],
    [{}, null],
    [[], {}],
    [{}, []],
    ['', []],
    [1, {}],
    [true, {}],
    ['ab', { 0: 'a', 1: 'b' }],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, {}],
    [{}, { a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, { b: null }],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [['a'], { 0: 'a' }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])('%j and %j differ', (a, b) => {
    expect(jsonEquals(a, b)).toBe(false)
    expect(jsonEquals(b, a)).toBe(false)
  })

  test('are the same exactly when their texts in a fixed order of members are', () => {
    const text = (value: unknown): string =>
      JSON.stringify(value, (_, member: unknown) =>
        member && typeof member === 'object' && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
          : member,
      )
    const value = fc.jsonValue({ maxDepth: 2, depthSize: 'small' })
    fc.assert(fc.property(value, value, (a, b) => jsonEquals(a, b) === (text(a) === text(b))))
    fc.assert(fc.property(value, (a) => jsonEquals(a, JSON.parse(JSON.stringify(a)))))
  })
})
