import { afterAll, beforeAll, expect, test } from 'vitest'
import { instantOf } from '../../cli/arguments.ts'

const zone = process.env['TZ']

beforeAll(() => {
  process.env['TZ'] = 'Europe/Oslo'
})

afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

test('a time that an operator gives is in UTC, wherever the machine stands', () => {
  const noon = Date.UTC(2026, 4, 17, 12)
  expect(new Date(2026, 4, 17, 12).getTime()).not.toBe(noon)
  for (const text of ['2026-05-17 12:00:00', '2026-05-17T12:00:00Z', '2026-05-17T12:00:00.000Z'])
    expect(instantOf(text)).toBe(noon)
  expect(instantOf('2026-05-17')).toBe(Date.UTC(2026, 4, 17))
})

test.each(['noon', 'May 5', '2026-02-30', '2026-05-17 25:00:00', '2026-05-17T12:00:00+02:00', ''])(
  '%s is told to be none',
  (text) => expect(() => instantOf(text)).toThrow('is not a time as YYYY-MM-DD'),
)
