import type { Instant } from '../../domain/time.ts'
import type { Position } from '../../application/event-store.ts'

/** A moment of the log: a position, or the last event before or at `until`. */
export type MomentRequest =
  | { readonly position: Position }
  | {
      readonly from: Instant
      /** The last instant of the given day, minute or second. */
      readonly until: Instant
    }

export const momentForms =
  'a time such as 2026-03-31, 2026-03-31 12:00:05 or 2026-03-31T12:00:05.250Z, ' +
  'or a position in the log'

const day = /(\d{4}-\d\d-\d\d)/
const time = /(\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?/
/** In a URL, `+` may have been decoded as a space. */
const zone = /(?:z|([+ -])(0\d|1[0-4]):?([0-5]\d))?/
const written = new RegExp(`^${day.source}(?:[t ]${time.source}${zone.source})?$`, 'i')

/** In milliseconds: the precision of the given text. */
const lengths = { day: 86_400_000, minute: 60_000, second: 1_000, instant: 1 }

const precisionOf = (
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
): keyof typeof lengths => {
  if (minute === undefined) return 'day'
  if (second === undefined) return 'minute'
  return fraction === undefined ? 'second' : 'instant'
}

/** ISO 8601; UTC by default. Undefined for anything else, such as 30 February. */
const readTime = (text: string): MomentRequest | undefined => {
  const [matched, day = '', minute, second, fraction, sign, hours, minutes] =
    written.exec(text) ?? []
  if (matched === undefined || (fraction !== undefined && second === undefined)) return undefined
  const milliseconds = (fraction ?? '').padEnd(3, '0').slice(0, 3)
  const local = Date.parse(`${day}T${minute ?? '00:00'}${second ?? ':00'}.${milliseconds}Z`)
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(day)) return undefined
  const offset = Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000
  const from = sign === '-' ? local + offset : local - offset
  return { from, until: from + lengths[precisionOf(minute, second, fraction)] - 1 }
}

/** Undefined if the text is neither a position nor a time. */
export const readMoment = (text: string): MomentRequest | undefined =>
  /^\d{1,15}$/.test(text) ? { position: Number(text) } : readTime(text)
