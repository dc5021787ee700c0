import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frequencies, nextDue, noHolidays, payoutDay } from '../../domain/calendar.ts'

const at = (text: string): number => Date.parse(`${text}Z`)
const timeZone = 'UTC'
const shown = (instant: number): string => new Date(instant).toISOString().slice(0, 16)

describe('the next due time', () => {
  test.each([
    ['daily', '00:00', '2026-11-20T23:59:59', '2026-11-23T00:00'],
    ['daily', '00:00', '2026-11-23T00:00:00', '2026-11-24T00:00'],
    ['daily', '06:30', '2026-11-23T06:29:59', '2026-11-23T06:30'],
    ['daily', '06:30', '2026-11-20T06:30:00', '2026-11-23T06:30'],
    ['weekly', '06:30', '2026-11-23T06:30:00', '2026-11-30T06:30'],
    ['weekly', '06:30', '2026-11-22T12:00:00', '2026-11-23T06:30'],
    ['monthly', '00:00', '2026-11-22T12:00:00', '2026-12-01T00:00'],
    ['monthly', '00:00', '2026-07-31T12:00:00', '2026-08-03T00:00'],
    ['monthly', '12:00', '2027-01-01T12:00:00', '2027-02-01T12:00'],
    ['monthly', '00:00', '2028-02-28T00:00:00', '2028-03-01T00:00'],
  ] as const)('%s at %s, after %s, is %s', (frequency, startOfDay, after, due) => {
    expect(shown(nextDue({ timeZone, frequency, startOfDay }, at(after)))).toBe(due)
  })

  test('is later, on a weekday, at the start of day, and the first such moment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...frequencies),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: 0, max: at('2100-01-01T00:00:00') }),
        (frequency, minutes, after) => {
          const two = (number: number) => String(number).padStart(2, '0')
          const startOfDay = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
          const due = nextDue({ timeZone, frequency, startOfDay }, after)
          expect(due).toBeGreaterThan(after)
          expect(shown(due).slice(11)).toBe(startOfDay)
          expect([0, 6]).not.toContain(new Date(due).getUTCDay())
          expect(nextDue({ timeZone, frequency, startOfDay }, due - 1)).toBe(due)
          const days = { daily: 3, weekly: 7, monthly: 34 }[frequency]
          expect(due - after).toBeLessThanOrEqual(days * 86_400_000)
        },
      ),
    )
  })
})

describe('the day of the payout', () => {
  test.each([
    ['2026-11-20T10:00:00', 0, '2026-11-20'],
    ['2026-11-20T10:00:00', 1, '2026-11-23'],
    ['2026-11-21T10:00:00', 0, '2026-11-23'],
    ['2026-11-18T10:00:00', 5, '2026-11-25'],
  ])('a settlement at %s with a delay of %i weekdays is paid on %s', (settled, delay, day) => {
    expect(payoutDay(at(settled), delay, timeZone, noHolidays)).toEqual({ day, holidays: [] })
  })
})

describe('the day of the payout, by zone and holidays,', () => {
  const christmas = ['2026-12-25', '2026-12-26']
  const isHoliday = (date: string): boolean => christmas.includes(date)

  test('is that of the zone', () => {
    const late = at('2026-11-19T23:30:00')
    expect(payoutDay(late, 0, 'UTC', noHolidays).day).toBe('2026-11-19')
    expect(payoutDay(late, 0, 'Europe/Oslo', noHolidays).day).toBe('2026-11-20')
    expect(payoutDay(late, 0, 'America/New_York', noHolidays).day).toBe('2026-11-19')
  })

  test.each([
    ['2026-12-24T10:00:00', 0, '2026-12-24', []],
    ['2026-12-24T10:00:00', 1, '2026-12-28', ['2026-12-25']],
    ['2026-12-25T10:00:00', 0, '2026-12-28', ['2026-12-25']],
    ['2026-12-28T10:00:00', 0, '2026-12-28', []],
  ])(
    'of a settlement at %s, %i days later, is %s and waits over %j',
    (settled, delay, wanted, over) => {
      expect(payoutDay(at(settled), delay, 'Europe/Oslo', isHoliday)).toEqual({
        day: wanted,
        holidays: over,
      })
    },
  )
})
