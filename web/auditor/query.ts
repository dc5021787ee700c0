import { z } from 'zod'
import type { Wanted } from '../../audit/explain/browse.ts'
import { malformed } from '../../http/errors.ts'

const day = /^\d{4}-\d\d-\d\d$/
const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z?$/

/** A day, or a time in UTC as a page's field or a log writes it. */
export const timeIn = (field: string, text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined
  const iso = day.test(text) ? `${text}T00:00:00` : text.replace(' ', 'T').replace(/Z$/, '')
  const at = day.test(text) || moment.test(text) ? Date.parse(`${iso}Z`) : NaN
  if (!Number.isNaN(at)) return at
  throw malformed({
    issues: [
      { path: [field], message: `${field} must be a UTC time such as 2026-05-17 12:03:11.` },
    ],
  })
}

const text = (description: string) => z.string().max(200).optional().meta({ description })

/** An empty field of a form is one that is not filled in. */
export const givenIn = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === '' ? undefined : value.trim()

export const eventQuery = z.object({
  since: text('From this time on: a day, or a time in UTC.'),
  until: text('Before this time.'),
  type: text('Of this type.'),
  merchant: text('Of this merchant.'),
  actor: text('Caused by this one: `user:pos1`, `operator`, `operator:<account>`.'),
  stream: text('Of this stream.'),
  before: text('Before this position, to look further back.'),
})

export type EventQuery = z.output<typeof eventQuery>

export const wantedOf = (query: EventQuery): Wanted => ({
  from: timeIn('since', query.since),
  to: timeIn('until', query.until),
  type: givenIn(query.type),
  merchant: givenIn(query.merchant),
  actor: givenIn(query.actor),
  stream: givenIn(query.stream),
})

/** The fields that are filled in, as a query again. */
export const searchOfFields = (fields: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(fields).flatMap(([name, value]) => {
    const own = givenIn(value)
    return own === undefined ? [] : [[name, own]]
  })
  return new URLSearchParams(given as [string, string][]).toString()
}
