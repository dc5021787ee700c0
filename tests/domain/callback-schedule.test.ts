import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  callback,
  callbackEvents,
  type CallbackEvent,
  nextAttemptAt,
} from '../../domain/callback.ts'
import { fold } from '../../domain/decider.ts'
import { hours, morning, threeDays } from './payments.ts'
import { record } from './callbacks.ts'

describe('the schedule of retries', () => {
  test('is about 5 s, 30 s, 2 min, 10 min, 30 min, then hourly and slower', () => {
    const waits = Array.from({ length: 11 }, (_, index) => {
      const next = nextAttemptAt(index + 1, morning, morning, 0)
      return ((next ?? 0) - morning) / 1000
    })
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200, 14_400, 14_400])
  })

  test('spreads what failed together over a fifth of the wait', () => {
    expect(nextAttemptAt(1, morning, morning, 0.5)).toBe(morning + 5500)
    expect(nextAttemptAt(1, morning, morning, 1)).toBe(morning + 6000)
    expect(nextAttemptAt(1, morning, morning, 0.00005)).toBe(morning + 5000)
  })

  test('ends three days after the first attempt, to the millisecond', () => {
    const at = morning + threeDays - 5000
    expect(nextAttemptAt(1, morning, at, 0)).toBe(morning + threeDays)
    expect(nextAttemptAt(1, morning, at + 1, 0)).toBeNull()
  })

  test('for any jitter and slowness, grows, keeps its bounds, and ends in three days', () => {
    const rounds = fc.array(
      fc.record({ jitter: fc.double({ min: 0, max: 1, noNaN: true }), lateMs: fc.nat(60_000) }),
      { minLength: 60, maxLength: 60 },
    )
    fc.assert(
      fc.property(rounds, (rounds) => {
        const events: CallbackEvent[] = []
        let at = morning
        let shortest = 0
        for (const { jitter, lateMs } of rounds) {
          const [event] = callback.decide(
            record({ attemptedAt: at }, events.length, jitter),
            fold(callback, events),
          )
          if (event?.type !== 'CallbackAttempted') throw new Error('an attempt is recorded as one')
          events.push(event)
          expect(
            callbackEvents.CallbackAttempted.parse(JSON.parse(JSON.stringify(event.data))),
          ).toEqual(event.data)
          const { nextAttemptAt } = event.data
          if (nextAttemptAt === null) break
          const wait = nextAttemptAt - at
          const withoutJitter = wait / (1 + jitter / 5)
          expect(Math.round(withoutJitter)).toBeGreaterThanOrEqual(shortest)
          expect(wait).toBeGreaterThanOrEqual(5000)
          expect(wait).toBeLessThanOrEqual(14_400_000 * 1.2)
          expect(nextAttemptAt).toBeLessThanOrEqual(morning + threeDays)
          shortest = Math.floor(withoutJitter)
          at = nextAttemptAt + lateMs
        }
        expect(fold(callback, events).status).toBe('abandoned')
        // Hourly at first, then every four hours: neither a flood nor an early end.
        expect(events.length).toBeGreaterThan(15)
        expect(events.length).toBeLessThan(30)
        expect(at).toBeGreaterThan(morning + threeDays - 5 * hours)
      }),
    )
  })

  test('once a message has arrived, no failure makes it due again', () => {
    const results = fc.array(
      fc.constantFrom('failed' as const, 'gone' as const, 'delivered' as const),
    )
    fc.assert(
      fc.property(results, fc.nat(5), (results, failures) => {
        const events: CallbackEvent[] = []
        const all = [
          ...Array.from({ length: failures }, () => 'failed' as const),
          'delivered' as const,
          ...results,
        ]
        for (const result of all)
          events.push(...callback.decide(record({ result }, events.length), fold(callback, events)))
        expect(fold(callback, events).status).toBe('delivered')
        for (const event of events.slice(failures))
          expect(event).toMatchObject({ data: { nextAttemptAt: null } })
      }),
    )
  })
})
