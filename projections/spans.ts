import { halfHourMs } from '../domain/accounting/line-sums.ts'
import { dayMs, type Instant } from '../domain/time.ts'

/** With these two, any period is the sum of a few rows. */
export const spans = [halfHourMs, dayMs] as const

/** Where the span that holds an instant begins. */
export const spanStart = (at: Instant, span: number): Instant => Math.floor(at / span) * span

/** Added if `sign` is 1, subtracted if -1. */
type Part = {
  readonly span: number
  readonly start: Instant
  readonly end: Instant
  readonly sign: 1 | -1
}

/**
 * Half hours between the edge of a day and an instant, to add to or subtract from a sum over days.
 */
const halvesBetween = (edge: Instant, at: Instant, sign: 1 | -1): readonly Part[] => {
  if (edge === at) return []
  const ends = edge < at ? { start: edge, end: at } : { start: at, end: edge }
  return [{ span: halfHourMs, ...ends, sign }]
}

/**
 * Splits a period into whole days of UTC, and half hours before and after. If `mayExceed`, the days
 * may extend beyond it and half hours are subtracted when that takes fewer: a day of any time zone
 * is then one day and a few half hours, instead of 48 half hours.
 */
export const partsOf = (start: Instant, end: Instant, mayExceed = false): readonly Part[] => {
  const [up, down] = mayExceed ? [Math.round, Math.round] : [Math.ceil, Math.floor]
  const [first, last] = [up(start / dayMs) * dayMs, down(end / dayMs) * dayMs]
  const halves = Math.abs(start - first) + Math.abs(end - last)
  if (first >= last || end - start <= halves) return [{ span: halfHourMs, start, end, sign: 1 }]
  return [
    ...halvesBetween(first, start, start < first ? 1 : -1),
    { span: dayMs, start: first, end: last, sign: 1 },
    ...halvesBetween(last, end, end > last ? 1 : -1),
  ]
}
