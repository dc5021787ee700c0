import { halfHourMs } from '../domain/accounting/line-sums.ts'
import { dayMs, type Instant } from '../domain/time.ts'

/** By both any time is the sum of few rows. */
export const spans = [halfHourMs, dayMs] as const

/** Where the span that holds an instant begins. */
export const spanStart = (at: Instant, span: number): Instant => Math.floor(at / span) * span

type Part = { readonly span: number; readonly start: Instant; readonly end: Instant }

/** The spans that a time is made of: whole days of UTC, and half hours before and behind. */
export const partsOf = (start: Instant, end: Instant): readonly Part[] => {
  const first = Math.ceil(start / dayMs) * dayMs
  const last = Math.floor(end / dayMs) * dayMs
  if (first >= last) return [{ span: halfHourMs, start, end }]
  return [
    { span: halfHourMs, start, end: first },
    { span: dayMs, start: first, end: last },
    { span: halfHourMs, start: last, end },
  ].filter((part) => part.start < part.end)
}
