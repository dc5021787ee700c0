import { dayMs, dayOf, type Instant } from './time.ts'

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
