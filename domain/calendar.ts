import { dayMs, dayOf, isAhead, type Instant } from './time.ts'

/** How often a merchant is settled: on weekdays, on Mondays, or on the first weekday of a month. */
export const frequencies = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof frequencies)[number]

/** When settlements are due; the day begins at `startOfDay`, `hh:mm` in UTC. */
type Calendar = { readonly frequency: Frequency; readonly startOfDay: string }

export const startOfDayPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/

const isWeekday = (day: number): boolean => {
  // The first day of 1970 was a Thursday.
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

/** The first instant after the given one at which a settlement is due. */
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
 * The first due time after the first line and after the last settlement: what was decided before a settlement may stand
 * behind it in the log, and its due time has been served.
 */
export const settlementDue = (unsettled: Unsettled): Instant => {
  const { unsettledSince, settledAt } = unsettled
  return nextDue(unsettled, Math.max(unsettledSince, settledAt ?? unsettledSince))
}

/**
 * Whether a settlement that would seem to be due later is due now, because the clock was ahead when the log was written:
 * it is due by what is known of a right clock, and at once where nothing is.
 */
export const isDueByRightClock = (unsettled: Unsettled, at: Instant): boolean => {
  if (settlementDue(unsettled) <= nextDue(unsettled, at)) return false
  const { unsettledSince, settledAt } = unsettled
  const known = [unsettledSince, settledAt ?? Infinity].filter((one) => !isAhead(one, at))
  return known.length === 0 || nextDue(unsettled, Math.max(...known)) <= at
}

/** The day (`YYYY-MM-DD`, a weekday) on which the bank is to pay: so many weekdays after the one of the settlement. */
export const payoutDay = (settled: Instant, delay: number): string => {
  let day = Math.floor(settled / dayMs)
  while (!isWeekday(day)) day += 1
  for (let left = delay; left > 0; left--) {
    do day += 1
    while (!isWeekday(day))
  }
  return dayOf(day * dayMs)
}
