import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frequencies, nextClosing, nextDue, type ScheduledClosing } from '../../domain/calendar.ts'
import { dayMs } from '../../domain/time.ts'
import {
  dateIn,
  dayIn,
  instantOn,
  isDayOf,
  readTimeZone,
  startOf,
  wallClock,
} from '../../domain/time-zone.ts'

const at = (text: string): number => Date.parse(text)
const shown = (instant: number): string => new Date(instant).toISOString().slice(0, 16)
const dayNumber = (day: string): number => at(`${day}T00:00:00Z`) / dayMs

/** Zones with every kind of clock change, and any other zone. */
const zone = fc.oneof(
  fc.constantFrom(
    ...['UTC', 'Europe/Oslo', 'America/New_York', 'America/Sao_Paulo', 'America/Nuuk'],
    ...['America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe', 'Asia/Beirut', 'Africa/Cairo'],
    ...['America/Havana', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Antarctica/Troll'],
  ),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
)
const day = fc.integer({ min: dayNumber('1975-01-01'), max: dayNumber('2037-12-31') })
const timeOfDay = fc.integer({ min: 0, max: 1439 })
const hhmm = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

describe('a time zone', () => {
  test.each([
    ['Europe/Oslo', 'Europe/Oslo'],
    ['europe/oslo', 'Europe/Oslo'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Norway', undefined],
    ['+01:00', undefined],
    ['', undefined],
    ['Europe/Oslo ', undefined],
    ['Europe/../Oslo', undefined],
  ])('that is written %j is %s', (text, name) => {
    expect(readTimeZone(text)).toBe(name)
  })

  test('shows on its clocks what Intl formats', () => {
    fc.assert(
      fc.property(
        zone,
        fc.integer({ min: 0, max: at('2037-12-31T00:00:00Z') }),
        (name, instant) => {
          const format = new Intl.DateTimeFormat('sv', {
            timeZone: name,
            dateStyle: 'short',
            timeStyle: 'medium',
          })
          const text = new Date(wallClock(name, instant)).toISOString()
          expect(`${text.slice(0, 10)} ${text.slice(11, 19)}`).toBe(format.format(instant))
          expect(dateIn(name, instant)).toBe(text.slice(0, 10))
        },
      ),
    )
  })

  test('has exactly one start of each day: before it, no clock has shown that day', () => {
    fc.assert(
      fc.property(zone, day, (name, number) => {
        fc.pre(isDayOf(name, number))
        const start = startOf(name, number)
        expect(dayIn(name, start)).toBe(number)
        expect(dayIn(name, start - 1)).toBeLessThan(number)
        expect(startOf(name, number - 1)).toBeLessThan(start)
        // No clock is changed by more than a day.
        for (let before = start - 1; before > start - dayMs; before -= dayMs / 48)
          expect(dayIn(name, before)).toBeLessThan(number)
      }),
      { examples: [['America/St_Johns', dayNumber('2010-11-07')]] },
    )
  })

  test.each([
    ['Europe/Oslo', '2026-03-29', 150, '2026-03-29T01:00'],
    ['Europe/Oslo', '2026-10-25', 150, '2026-10-25T00:30'],
    ['America/Sao_Paulo', '2018-11-04', 0, '2018-11-04T03:00'],
    ['America/Nuuk', '2024-03-30', 1410, '2024-03-31T01:00'],
    ['America/St_Johns', '2010-11-07', 0, '2010-11-07T02:30'],
    ['Pacific/Apia', '2011-12-30', 0, '2011-12-30T10:00'],
    ['Australia/Lord_Howe', '2026-10-04', 125, '2026-10-03T15:30'],
    ['UTC', '2026-03-29', 150, '2026-03-29T02:30'],
  ])('%s has on %s, %i minutes after midnight, at %s', (name, date, minutes, instant) => {
    expect(shown(instantOn(name, dayNumber(date), minutes * 60_000))).toBe(instant)
  })

  test('without a day begins it with the next one', () => {
    expect(isDayOf('Pacific/Apia', dayNumber('2011-12-30'))).toBe(false)
    expect(isDayOf('Pacific/Apia', dayNumber('2011-12-31'))).toBe(true)
  })
})

/** The days that settle, according to the interface. */
const settlesOn = {
  daily: (date: Date) => ![0, 6].includes(date.getUTCDay()),
  weekly: (date: Date) => date.getUTCDay() === 1,
  monthly: (date: Date) => {
    const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
    while ([0, 6].includes(first.getUTCDay())) first.setUTCDate(first.getUTCDate() + 1)
    return date.getTime() === first.getTime()
  },
}

const closesOn: Record<ScheduledClosing, (date: Date) => boolean> = {
  daily: () => true,
  weekly: (date) => date.getUTCDay() === 1,
  monthly: (date) => date.getUTCDate() === 1,
}

/** The days in a range that exist in a zone and count. */
const daysOf = (name: string, from: number, to: number, counts: (date: Date) => boolean) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
    .filter((number) => counts(new Date(number * dayMs)))
    .filter((number) => isDayOf(name, number))

describe('given the clocks of any zone, however they are changed,', () => {
  const span = { daily: 40, weekly: 100, monthly: 400 }

  test('settlements skip no day and take none twice', () => {
    fc.assert(
      fc.property(
        zone,
        day,
        timeOfDay,
        fc.constantFrom(...frequencies),
        (name, from, minutes, frequency) => {
          const to = from + span[frequency]
          const place = { timeZone: name, startOfDay: hhmm(minutes), frequency }
          const wanted = daysOf(name, from, to, settlesOn[frequency])
          const due: number[] = []
          const end = instantOn(name, to, minutes * 60_000)
          let after = instantOn(name, from, minutes * 60_000) - 1
          while ((after = nextDue(place, after)) <= end) due.push(after)
          expect(due).toEqual(wanted.map((number) => instantOn(name, number, minutes * 60_000)))
          expect(new Set(due).size).toBe(due.length)
        },
      ),
      { numRuns: 40, examples: [['Pacific/Apia', dayNumber('2011-12-20'), 0, 'daily']] },
    )
  })

  test('reports close once on every day, every Monday, or every first of a month', () => {
    const kinds = fc.constantFrom('daily', 'weekly', 'monthly')
    fc.assert(
      fc.property(zone, day, timeOfDay, kinds, (name, from, minutes, closes) => {
        const to = from + span[closes]
        const place = { timeZone: name, startOfDay: hhmm(minutes) }
        const wanted = daysOf(name, from, to, closesOn[closes])
        const closed: number[] = []
        const end = instantOn(name, to, minutes * 60_000)
        let after = instantOn(name, from, minutes * 60_000) - 1
        while ((after = nextClosing(closes, place, after)) <= end) closed.push(after)
        expect(closed).toEqual(wanted.map((number) => instantOn(name, number, minutes * 60_000)))
      }),
      { numRuns: 40 },
    )
  })
})
