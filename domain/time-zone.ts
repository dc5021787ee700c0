import { dayMs, type Instant } from './time.ts'

/** A name of the IANA time zone database, such as `Europe/Oslo`. */
export type TimeZone = string

/** Days since 1970-01-01, in the zone in question. */
export type DayNumber = number

export const utc: TimeZone = 'UTC'

/** Names only: offsets such as `+01:00` have no daylight saving time. */
const namePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

const formats = new Map<TimeZone, Intl.DateTimeFormat>()

const formatOf = (timeZone: TimeZone): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en', { timeZone, ...digits, ...time })
  formats.set(timeZone, format)
  return format
}

/** The name in the spelling of the database; undefined if there is none. */
export const readTimeZone = (text: string): TimeZone | undefined => {
  if (!namePattern.test(text)) return undefined
  try {
    const { timeZone } = formatOf(text).resolvedOptions()
    // A name that was replaced by another is kept as given.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The local time of the zone, as if it were UTC. */
export const wallClock = (zone: TimeZone, at: Instant): Instant => {
  if (zone === utc) return at
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const wholeSeconds = Date.UTC(year, month - 1, day, hour, minute, second)
  return wholeSeconds + (((at % 1000) + 1000) % 1000)
}

export const dayIn = (zone: TimeZone, at: Instant): DayNumber =>
  Math.floor(wallClock(zone, at) / dayMs)

/** The first instant in a range at which the local time reaches a given one. */
const firstShowing = (zone: TimeZone, wall: Instant, from: Instant, to: Instant): Instant => {
  let [before, found] = [from, to]
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2)
    if (wallClock(zone, middle) >= wall) found = middle
    else before = middle
  }
  return found
}

/**
 * When a day of the zone reaches a time of day, in milliseconds. If clocks go back and it occurs
 * twice, the first instant; if clocks skip it, the instant of the change.
 */
export const instantOn = (zone: TimeZone, day: DayNumber, timeOfDay: number): Instant => {
  const wall = day * dayMs + timeOfDay
  if (zone === utc) return wall
  const offsets = [wall - dayMs, wall + dayMs].map((at) => wallClock(zone, at) - at)
  const [one = wall, other = wall] = offsets.map((offset) => wall - offset)
  const [earlier, later] = one < other ? [one, other] : [other, one]
  if (wallClock(zone, earlier) === wall) return earlier
  return wallClock(zone, later) === wall ? later : firstShowing(zone, wall, earlier, later)
}

/** The first instant of a day. A day that the zone has skipped begins with the next one. */
export const startOf = (zone: TimeZone, day: DayNumber): Instant => instantOn(zone, day, 0)

/** Whether the zone had that day: Samoa had no 30 December 2011. */
export const isDayOf = (zone: TimeZone, day: DayNumber): boolean =>
  zone === utc || dayIn(zone, startOf(zone, day)) === day

/** `YYYY-MM-DD` in the zone. */
export const dateIn = (zone: TimeZone, at: Instant): string =>
  new Date(wallClock(zone, at)).toISOString().slice(0, 10)

/** Node 20 has the first, later versions the second. */
type Region = {
  readonly timeZones?: readonly string[]
  readonly getTimeZones?: () => readonly string[] | undefined
}

/** The zone of the region that a locale names or implies, if it has only one; else UTC. */
export const zoneOfLocale = (locale: string): TimeZone => {
  const region = new Intl.Locale(locale).maximize() as Intl.Locale & Region
  const zones = region.getTimeZones?.() ?? region.timeZones ?? []
  return zones.length === 1 ? (zones[0] ?? utc) : utc
}
