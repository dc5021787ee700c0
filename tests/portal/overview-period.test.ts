import { describe, expect, test } from 'vitest'
import {
  chosenPeriod,
  before,
  daysApart,
  daysOf,
  edgesOf,
  sameTimeBefore,
  stepOf,
} from '../../web/portal/overview-period.tsx'
import { textOfDay } from '../../web/portal/payments/query.ts'

const oslo = 'Europe/Oslo'
const at = Date.parse('2026-11-28T23:30:00Z')
const dayOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000

const asked = (query: string, timeZone = oslo, now = at) => {
  const { period, preset, problems } = chosenPeriod(new URLSearchParams(query), timeZone, now)
  const { first, last } = period
  return { preset, from: textOfDay(first), to: textOfDay(last), problems }
}

describe('the period of an address', () => {
  test.each([
    ['', '30', '2026-10-31', '2026-11-29'],
    ['days=1', '1', '2026-11-29', '2026-11-29'],
    ['days=7', '7', '2026-11-23', '2026-11-29'],
    ['days=this_week', 'this_week', '2026-11-23', '2026-11-29'],
    ['days=last_week', 'last_week', '2026-11-16', '2026-11-22'],
    ['days=90', '90', '2026-09-01', '2026-11-29'],
    ['days=&since=&until=', '30', '2026-10-31', '2026-11-29'],
    ['days=12', '30', '2026-10-31', '2026-11-29'],
    ['since=2026-11-01', null, '2026-11-01', '2026-11-29'],
    ['until=2026-11-10', null, '2026-10-12', '2026-11-10'],
    ['days=7&since=2026-11-01&until=2026-11-02', null, '2026-11-01', '2026-11-02'],
    ['since=2026-11-01&until=2027-01-01', null, '2026-11-01', '2026-11-29'],
    ['since=2025-11-29', null, '2025-11-29', '2026-11-29'],
  ])('%s is read', (query, preset, from, to) => {
    expect(asked(query)).toEqual({ preset, from, to, problems: {} })
  })

  test('ends with today by the clocks of the merchant', () => {
    expect(asked('days=1', 'UTC').to).toBe('2026-11-28')
    expect(asked('days=1').to).toBe('2026-11-29')
  })

  test.each([
    ['2026-11-22T22:59:00Z', '2026-11-16', '2026-11-22'],
    ['2026-11-22T23:00:00Z', '2026-11-23', '2026-11-23'],
    ['2026-11-25T11:00:00Z', '2026-11-23', '2026-11-25'],
  ])('of this week begins with its Monday by the clocks of the merchant: %s', (now, from, to) => {
    expect(asked('days=this_week', oslo, Date.parse(now))).toMatchObject({ from, to })
  })

  test.each([
    ['since=yesterday', { since: 'wrongDay' }],
    ['since=2026-02-30&until=x', { since: 'wrongDay', until: 'wrongDay' }],
    ['since=1969-12-31', { since: 'wrongDay' }],
    ['since=2026-11-03&until=2026-11-02', { since: 'wrongOrder' }],
    ['since=2027-01-01', { since: 'wrongOrder' }],
    ['since=2025-11-28', { since: 'wrongLength' }],
  ])('%s is told to be wrong, and the last 30 days are shown', (query, problems) => {
    const usual = { preset: '30', from: '2026-10-31', to: '2026-11-29' }
    expect(asked(query)).toEqual({ ...usual, problems })
  })
})

describe('the columns of a period', () => {
  const one = (day: string) => ({ first: dayOf(day), last: dayOf(day) })
  const lengthsOf = (edges: readonly number[]): number[] =>
    edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / 3_600_000)

  test('are days of 23 and of 25 hours when clocks change', () => {
    const spring = { first: dayOf('2026-03-28'), last: dayOf('2026-03-30') }
    const autumn = { first: dayOf('2026-10-24'), last: dayOf('2026-10-26') }
    expect(lengthsOf(edgesOf(spring, oslo))).toEqual([24, 23, 24])
    expect(lengthsOf(edgesOf(autumn, oslo))).toEqual([24, 25, 24])
    expect(edgesOf(spring, oslo)[1]).toBe(Date.parse('2026-03-28T23:00:00Z'))
  })

  test('are the 24 hours on the wall of a single day, whatever clocks do', () => {
    expect(lengthsOf(edgesOf(one('2026-11-28'), oslo))).toEqual(Array(24).fill(1))
    const spring = lengthsOf(edgesOf(one('2026-03-29'), oslo))
    expect(spring).toEqual([1, 1, 0, ...Array(21).fill(1)])
    const autumn = lengthsOf(edgesOf(one('2026-10-25'), oslo))
    expect(autumn).toEqual([1, 1, 2, ...Array(21).fill(1)])
  })

  test('are weeks where days would be too many', () => {
    const year = { first: dayOf('2025-11-30'), last: dayOf('2026-11-29') }
    expect(stepOf(year)).toBe('week')
    const edges = edgesOf(year, oslo)
    expect(edges).toHaveLength(54)
    expect(edges.at(-1)).toBe(Date.parse('2026-11-29T23:00:00Z'))
    // The newest week is complete; the oldest has a single day.
    expect(lengthsOf(edges).at(-1)).toBe(7 * 24)
    expect(lengthsOf(edges)[0]).toBe(24)
  })

  test('meet as many of the time before', () => {
    const period = { first: dayOf('2026-11-23'), last: dayOf('2026-11-29') }
    const earlier = before(period)
    expect(daysOf(earlier)).toBe(7)
    expect(earlier.last).toBe(period.first - 1)
    expect(edgesOf(earlier, oslo).at(-1)).toBe(edgesOf(period, oslo)[0])
  })

  test('of this week meet the same days of the week before', () => {
    const wednesday = Date.parse('2026-11-25T11:00:00Z')
    const { period } = chosenPeriod(new URLSearchParams('days=this_week'), oslo, wednesday)
    const earlier = before(period)
    expect([textOfDay(earlier.first), textOfDay(earlier.last)]).toEqual([
      ...['2026-11-16', '2026-11-18'],
    ])
    expect(daysApart(period)).toBe(7)
  })

  test('are compared until the same time on the wall, across a change of clocks', () => {
    const noon = Date.parse('2026-10-25T11:00:00Z')
    expect(sameTimeBefore(noon, 1, oslo)).toBe(Date.parse('2026-10-24T10:00:00Z'))
  })
})
