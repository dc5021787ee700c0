import { dayMs, dayOf, isAhead, type Instant } from './time.ts'

/** `daily` means weekdays, `weekly` Mondays, `monthly` the first weekday of a month. */
export const frequencies = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof frequencies)[number]

/** `startOfDay` is `hh:mm` in UTC. */
type Calendar = { readonly frequency: Frequency; readonly startOfDay: string }

export const startOfDayPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/

const isWeekday = (day: number): boolean => {
  // 1970-01-01 was a Thursday.
  const weekday = (day + 4) % 7
  return weekday !== 0 && weekday !== 6
}

const isMonday = (day: number): boolean => (day + 4) % 7 === 1

const isFirstWeekdayOfMonth = (day: number): boolean => {
  const date = new Date(day * dayMs).getUTCDate()
  return isWeekday(day) && (date === 1 || (isMonday(day) && date <= 3))
}

const isDueDay = (frequency: Frequency, day: number): boolean => {
  switch (frequency) {
    case 'daily':
      return isWeekday(day)
    case 'weekly':
      return isMonday(day)
    case 'monthly':
      return isFirstWeekdayOfMonth(day)
  }
}

/** The first due instant after the given one. */
export const nextDue = ({ frequency, startOfDay }: Calendar, after: Instant): Instant => {
  const [hours = 0, minutes = 0] = startOfDay.split(':').map(Number)
  const offset = (hours * 60 + minutes) * 60_000
  for (let day = Math.floor(after / dayMs); ; day++) {
    const due = day * dayMs + offset
    if (due > after && isDueDay(frequency, day)) return due
  }
}

type Unsettled = Calendar & {
  readonly unsettledSince: Instant
  readonly settledAt: Instant | null
}

/**
 * The first due time after both the first unsettled line and the last settlement. A line may be
 * dated before a settlement that the log records earlier; its due time has been served.
 */
export const settlementDue = (unsettled: Unsettled): Instant => {
  const { unsettledSince, settledAt } = unsettled
  return nextDue(unsettled, Math.max(unsettledSince, settledAt ?? unsettledSince))
}

/**
 * Whether a settlement is already due although the log says later, because the clock was ahead when
 * the log was written.
 */
export const isDueByRightClock = (unsettled: Unsettled, at: Instant): boolean => {
  if (settlementDue(unsettled) <= nextDue(unsettled, at)) return false
  const { unsettledSince, settledAt } = unsettled
  const known = [unsettledSince, settledAt ?? Infinity].filter((instant) => !isAhead(instant, at))
  return known.length === 0 || nextDue(unsettled, Math.max(...known)) <= at
}

/** The weekday (`YYYY-MM-DD`) that lies `delay` weekdays after the settlement. */
export const payoutDay = (settled: Instant, delay: number): string => {
  let day = Math.floor(settled / dayMs)
  while (!isWeekday(day)) day += 1
  for (let left = delay; left > 0; left--) {
    do day += 1
    while (!isWeekday(day))
  }
  return dayOf(day * dayMs)
}
