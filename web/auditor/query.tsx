import type { Html } from '../ui/components.tsx'
import { z } from 'zod'
import type { EventFilter } from '../../audit/explain/browse.ts'
import { malformed } from '../../http/errors.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export type Field = {
  readonly name: string
  readonly label: string
  readonly example?: string
  readonly value?: string | undefined
}

export const fieldHtml = ({ name, label, example, value }: Field): Html => (
  <div>
    <label for={name}>{label}</label>
    <input id={name} name={name} value={value ?? ''} placeholder={example ?? ''} />
  </div>
)

/** A form that asks for a part of what there is. */
export const filtersHtml = (action: string, fields: readonly Field[], button: string): Html => (
  <form class="card filters" method="get" action={action}>
    {fields.map(fieldHtml)}
    <div class="go">
      <button>{button}</button>
    </div>
  </form>
)

/** Asks for something to explain. */
export const explainForm = (label: string, texts: Catalogue['auditor'], value?: string): Html => {
  const example = 'tid, merchant/ledger/1, merchant/1, fee_income …'
  const field = { name: 'subject', label, example, value }
  return filtersHtml('/audit/explain', [field], texts.explain)
}

export const time = '2026-05-17 12:00'

export const eventFields = (
  query: Readonly<Record<string, string | undefined>>,
  texts: Catalogue['auditor'],
): Field[] => [
  { name: 'since', label: texts.since, example: time, value: query['since'] },
  { name: 'until', label: texts.until, example: time, value: query['until'] },
  { name: 'type', label: texts.type, example: 'PaymentRefunded', value: query['type'] },
  { name: 'merchant', label: texts.merchant, value: query['merchant'] },
  { name: 'actor', label: texts.causedBy, example: 'user:pos1', value: query['actor'] },
  { name: 'stream', label: texts.stream, example: 'payment-…', value: query['stream'] },
]

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
export const filledIn = (value: string | undefined): string | undefined =>
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

/** From when to when; a time before the first one finds nothing, which nobody has asked for. */
export const timesIn = ({ since, until }: Pick<EventQuery, 'since' | 'until'>) => {
  const [from, to] = [timeIn('since', since), timeIn('until', until)]
  if (from === undefined || to === undefined || from < to) return { from, to }
  throw malformed({ issues: [{ path: ['until'], message: 'until must be later than since.' }] })
}

export const eventFilter = (query: EventQuery): EventFilter => ({
  ...timesIn(query),
  type: filledIn(query.type),
  merchant: filledIn(query.merchant),
  actor: filledIn(query.actor),
  stream: filledIn(query.stream),
})

/** The fields that are filled in, as a query again. */
export const searchOfFields = (fields: Readonly<Record<string, string | undefined>>): string => {
  const filled = Object.entries(fields).flatMap(([name, value]) => {
    const own = filledIn(value)
    return own === undefined ? [] : [[name, own]]
  })
  return new URLSearchParams(filled as [string, string][]).toString()
}
