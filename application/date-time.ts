import { dayMs, dayOf, type Instant } from '../domain/time.ts'
import { wallClock, type TimeZone } from '../domain/time-zone.ts'
import { generationalCache } from './generational-cache.ts'

const dayTexts = generationalCache<number, string>(1_000)

const dayText = (day: number): string => {
  const known = dayTexts.get(day)
  if (known !== undefined) return known
  const text = dayOf(day * dayMs)
  dayTexts.set(day, text)
  return text
}

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

/** `YYYY-MM-DD hh:mm:ss` in UTC. Days are cached, because most times fall on a few days. */
export const formatDateTime = (at: Instant): string => {
  const day = Math.floor(at / dayMs)
  const seconds = Math.floor((at - day * dayMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = [Math.floor(minutes / 60), minutes % 60, seconds % 60]
  return `${dayText(day)} ${time.map((part) => twoDigits[part]).join(':')}`
}

const quarterMs = 900_000

/**
 * `YYYY-MM-DD hh:mm:ss` in a zone. Zones change their offset at a full quarter of an hour, so that
 * it is looked up once for each: make one for each file.
 */
export const dateTimeIn = (zone: TimeZone): ((at: Instant) => string) => {
  const offsets = new Map<Instant, number>()
  return (at) => {
    const quarter = Math.floor(at / quarterMs) * quarterMs
    const offset = offsets.get(quarter) ?? wallClock(zone, quarter) - quarter
    offsets.set(quarter, offset)
    return formatDateTime(at + offset)
  }
}
