import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { start } from '../../application/event-store.ts'
import {
  generationalCache,
  defaultCacheLimits,
  type CacheLimits,
} from '../../application/generational-cache.ts'
import { knownStateAfter, unreadState, makeStateCache } from '../../application/state-cache.ts'
import { memorySize, sizeOfEvents } from '../../domain/memory-size.ts'

describe('of entries that weigh', () => {
  const weighed = () =>
    generationalCache<string, number>(100, { weightOf: (value) => value, weight: 10 })
  const setAll = (memory: ReturnType<typeof weighed>, weights: Readonly<Record<string, number>>) =>
    Object.entries(weights).forEach(([key, weight]) => memory.set(key, weight))

  test('those used last are remembered up to the weight, and the ones before them', () => {
    const memory = weighed()
    setAll(memory, { a: 5, b: 5, c: 5, d: 5 })
    expect(memory.get('b')).toBe(5)
    expect(memory.get('c')).toBe(5)
    expect(memory.get('a')).toBeUndefined()
  })

  test('one that is set again weighs what it weighs now, and one that is deleted nothing', () => {
    const memory = weighed()
    for (let time = 0; time < 5; time++) memory.set('a', 5)
    memory.set('b', 4)
    memory.delete('b')
    setAll(memory, { c: 4, d: 3, e: 10 })
    // All earlier entries are in one generation, which is dropped with the next but one.
    memory.set('f', 10)
    expect(['a', 'c', 'd'].map((key) => memory.get(key))).toEqual([undefined, undefined, undefined])
    expect(memory.get('e')).toBe(10)
  })

  test('nothing weighs anything after all were forgotten', () => {
    const memory = weighed()
    memory.set('a', 5)
    memory.clear()
    setAll(memory, { g: 9, h: 9, i: 9, j: 9 })
    expect(memory.get('g')).toBe(9)
  })
})

/** A cache on a log that is never read. */
const stateMemoryIn = (cacheLimits: CacheLimits) =>
  makeStateCache({ store: { head: asked, readAll: asked }, cacheLimits, from: start })
const asked = (): never => {
  throw new Error('the log was asked')
}

describe('the states of aggregates', () => {
  const state = (megabytes: number) => ({ revision: 0, state: 'any', size: megabytes * 1_048_576 })

  test('are remembered by the thousand when they are of the usual size', () => {
    const memory = stateMemoryIn(defaultCacheLimits)
    for (let n = 0; n < 10_000; n++) memory.remember(`s-${n}`, { ...state(0), size: 1_500 })
    expect(memory.find('s-0')).toBeDefined()
  })

  test('are remembered by the dozen when they are large', () => {
    const memory = stateMemoryIn(defaultCacheLimits)
    for (let n = 0; n < 100; n++) memory.remember(`s-${n}`, state(1))
    const remembered = Array.from({ length: 100 }, (_, n) => memory.find(`s-${n}`)).filter(Boolean)
    expect(remembered.length).toBeGreaterThanOrEqual(32)
    expect(remembered.length).toBeLessThanOrEqual(64)
  })

  test('are remembered in larger numbers with higher limits', () => {
    const countIn = (bytes: number): number => {
      const memory = stateMemoryIn({ ...defaultCacheLimits, bytes })
      for (let n = 0; n < 1_000; n++) memory.remember(`s-${n}`, state(1))
      return Array.from({ length: 1_000 }, (_, n) => memory.find(`s-${n}`)).filter(Boolean).length
    }
    expect(countIn(4 * defaultCacheLimits.bytes)).toBeGreaterThanOrEqual(128)
    expect(countIn(defaultCacheLimits.bytes / 4)).toBeLessThanOrEqual(16)
  })

  test('are as large as what is left of the events that they were folded from', () => {
    const nothing = unreadState({ initial: { total: 0 } })
    const small = { data: { text: 'x'.repeat(1_000) } }
    const large = { data: { text: 'x'.repeat(100_000) } }
    const after = (events: { data: object }[], folded: object) =>
      knownStateAfter(nothing, sizeOfEvents(events), { revision: events.length - 1, state: folded })
    expect(after([small, small], { total: 2 }).size).toBeGreaterThan(2_000)
    expect(after([large], large.data).size).toBeGreaterThan(100_000)
    expect(after(Array(1_000).fill(small), { total: 1_000 }).size).toBeLessThan(100)
  })

  test('are measured anew now and then, and are as large as they are all the same', () => {
    let known = unreadState({ initial: [] })
    const parts: string[] = []
    for (let revision = 0; revision < 1_000; revision++) {
      parts.push('x'.repeat(100))
      known = knownStateAfter(known, memorySize({ part: parts[0] }), { revision, state: parts })
      const measured = memorySize(parts)
      expect(known.size).toBeGreaterThanOrEqual(measured)
      expect(known.size).toBeLessThanOrEqual(2 * measured + 32_768)
    }
  })

  test('are measured the less often the larger they are, also when nothing is left', () => {
    for (const characters of [10_000, 30_000, 100_000, 130_000]) {
      let measured = 0
      const state = {
        get text() {
          measured += 1
          return 'x'.repeat(characters)
        },
      }
      const events = 10_000
      const ofEvent = 100
      let known = unreadState({ initial: {} })
      for (let revision = 0; revision < events; revision++)
        known = knownStateAfter(known, ofEvent, { revision, state })
      // Each time, after growing by at least a quarter of the measured size.
      expect(measured).toBeGreaterThan(0)
      expect(measured * memorySize(state)).toBeLessThan(5 * events * ofEvent + memorySize(state))
    }
  })

  test('are measured roughly as large as they are in JSON', () => {
    // The shortest value is a digit, which counts like any other number.
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const characters = JSON.stringify(value).length
        expect(memorySize(value)).toBeGreaterThanOrEqual(characters / 8)
        expect(memorySize(value)).toBeLessThanOrEqual(characters * 16)
      }),
      { numRuns: 1_000 },
    )
  })
})
