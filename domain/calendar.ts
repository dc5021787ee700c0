import { dayMs, dayOf, isAhead, type Instant } from './time.ts'
import { dayIn, instantOn, isDayOf, type DayNumber, type TimeZone } from './time-zone.ts'

/** `daily` means weekdays, `weekly` Mondays, `monthly` the first weekday of a month. */
export const frequencies = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof frequencies)[number]

/** `startOfDay` is `hh:mm` in the zone. */
type Place = { readonly timeZone: TimeZone; readonly startOfDay: string }
type Calendar = Place & { readonly frequency: Frequency }

export const startOfDayPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/

const isWeekday = (day: DayNumber): boolean => {
  // 1970-01-01 was a Thursday.
  const weekday = (day + 4) % 7
  return weekday !== 0 && weekday !== 6
}

/** The first day of the week. */
export const mondayOf = (day: DayNumber): DayNumber => day - ((day + 3) % 7)

const isMonday = (day: DayNumber): boolean => day === mondayOf(day)

const dateOf = (day: DayNumber): number => new Date(day * dayMs).getUTCDate()

const isFirstWeekdayOfMonth = (day: DayNumber): boolean =>
  isWeekday(day) && (dateOf(day) === 1 || (isMonday(day) && dateOf(day) <= 3))

const isDueDay = (frequency: Frequency, day: DayNumber): boolean => {
  switch (frequency) {
    case 'daily':
      return isWeekday(day)
    case 'weekly':
      return isMonday(day)
    case 'monthly':
      return isFirstWeekdayOfMonth(day)
  }
}

/** The next start of day, after an instant, on a day that qualifies. */
const nextStart = (
  { timeZone, startOfDay }: Place,
  after: Instant,
  isWanted: (day: DayNumber) => boolean,
): Instant => {
  const [hours = 0, minutes = 0] = startOfDay.split(':').map(Number)
  const timeOfDay = (hours * 60 + minutes) * 60_000
  for (let day = dayIn(timeZone, after); ; day++) {
    if (!isWanted(day) || !isDayOf(timeZone, day)) continue
    const start = instantOn(timeZone, day, timeOfDay)
    if (start > after) return start
  }
}

/** The first due instant after the given one. */
export const nextDue = ({ frequency, ...place }: Calendar, after: Instant): Instant =>
  nextStart(place, after, (day) => isDueDay(frequency, day))

/** When the reports of a ledger close: every day, on Mondays, or on the first of a month. */
export const closings = ['by_hand', 'daily', 'weekly', 'monthly'] as const
export type Closing = (typeof closings)[number]
export type ScheduledClosing = Exclude<Closing, 'by_hand'>

const closesOn: Readonly<Record<ScheduledClosing, (day: DayNumber) => boolean>> = {
  daily: () => true,
  weekly: isMonday,
  monthly: (day) => dateOf(day) === 1,
}

/** The first time after the given one at which a report closes. */
export const nextClosing = (closes: ScheduledClosing, place: Place, after: Instant): Instant =>
  nextStart(place, after, closesOn[closes])

type Unsettled = Calendar & {
  readonly unsettledSince: Instant
  readonly settledAt: Instant | null
}

/**
 * The first due time after both the first unsettled line and the last settlement. A line may be
 * dated before a settlement that the log records earlier; that due time has already passed.
 */
export const settlementDue = (unsettled: Unsettled): Instant => {
  const { unsettledSince, settledAt } = unsettled
  return nextDue(unsettled, Math.max(unsettledSince, settledAt ?? unsettledSince))
}

/**
 * Whether a settlement is due although the log says later, because the clock was ahead when the log
 * was written.
 */
export const isDueByRightClock = (unsettled: Unsettled, at: Instant): boolean => {
  if (settlementDue(unsettled) <= nextDue(unsettled, at)) return false
  const { unsettledSince, settledAt } = unsettled
  const known = [unsettledSince, settledAt ?? Infinity].filter((instant) => !isAhead(instant, at))
  return known.length === 0 || nextDue(unsettled, Math.max(...known)) <= at
}

/** Whether a day, `YYYY-MM-DD`, is a bank holiday. */
export type IsHoliday = (day: string) => boolean

export const noHolidays: IsHoliday = () => false

type PayoutDay = {
  /** `YYYY-MM-DD` */
  readonly day: string
  /** The bank holidays that postponed it. */
  readonly holidays: readonly string[]
}

/** The day `delay` bank working days after the settlement. */
export const payoutDay = (
  settled: Instant,
  delay: number,
  timeZone: TimeZone,
  isHoliday: IsHoliday,
): PayoutDay => {
  const holidays: string[] = []
  const isPayoutDay = (day: DayNumber): boolean => {
    if (!isWeekday(day)) return false
    const date = dayOf(day * dayMs)
    if (!isHoliday(date)) return true
    holidays.push(date)
    return false
  }
  let day = dayIn(timeZone, settled)
  while (!isPayoutDay(day)) day += 1
  for (let left = delay; left > 0; left--) {
    do day += 1
    while (!isPayoutDay(day))
  }
  return { day: dayOf(day * dayMs), holidays }
}
