import type { Find } from '../../application/find-state.ts'
import { bankCalendars, merchants } from '../../domain/aggregates.ts'
import { noHolidays, type IsHoliday } from '../../domain/calendar.ts'
import type { TimeZone } from '../../domain/time-zone.ts'
import { dayOf, dayMs } from '../../domain/time.ts'
import { aside } from '../../application/machine.ts'

type BankHoliday = {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly name: string
}

/** The holidays of a year. One per country, as its calendar is parsed once. */
type Calendar = (year: number) => readonly BankHoliday[]
const calendars = new Map<string, Calendar>()

/** The days of a holiday of one or more days; none for half a day. */
const daysOf = ({ date, start, end }: { date: string; start: Date; end: Date }): string[] => {
  const length = Math.floor((end.getTime() - start.getTime() + dayMs / 24) / dayMs)
  const first = Date.parse(`${date.slice(0, 10)}T00:00:00Z`)
  return Array.from({ length }, (_, index) => dayOf(first + index * dayMs))
}

/** Loaded late: parsing the rules of all countries takes a while. */
const readCalendar = async (country: string): Promise<Calendar> => {
  const known = calendars.get(country)
  if (known) return known
  const { default: Holidays } = await aside(() => import('date-holidays'))
  const source = new Holidays(country, { types: ['public', 'bank'] })
  const years = new Map<number, readonly BankHoliday[]>()
  const calendar: Calendar = (year) => {
    const found =
      years.get(year) ??
      source
        .getHolidays(year, 'en')
        .flatMap((holiday) => daysOf(holiday).map((day) => ({ day, name: holiday.name })))
    years.set(year, found)
    return found
  }
  calendars.set(country, calendar)
  return calendar
}

/** The bank holidays of a country, with the operator's corrections. */
export const bankHolidaysIn = async (
  find: Find,
  country: string,
): Promise<(year: number) => readonly BankHoliday[]> => {
  const [calendar, entry] = [await readCalendar(country), await find(bankCalendars, country)]
  const isGiven = entry.status === 'present'
  const [closed, open] = isGiven ? [entry.data.closed, entry.data.open] : [[], [] as string[]]
  return (year) => {
    const known = calendar(year).filter(({ day }) => !open.includes(day))
    const added = closed
      .filter((day) => day.startsWith(`${year}-`) && !known.some((one) => one.day === day))
      .map((day) => ({ day, name: 'by the operator' }))
    return [...known, ...added].sort((one, other) => (one.day < other.day ? -1 : 1))
  }
}

/** By the merchant's jurisdiction; no holidays without one. */
export const bankHolidaysOf =
  (find: Find) =>
  async (merchant: string): Promise<IsHoliday> => {
    const entry = await find(merchants, merchant)
    const country = entry.status === 'present' ? entry.data.jurisdiction : null
    if (country === null) return noHolidays
    const ofYear = await bankHolidaysIn(find, country)
    return (day) => ofYear(Number(day.slice(0, 4))).some((holiday) => holiday.day === day)
  }

/** Days on which TARGET, through which banks pay euro, rests besides weekends: by rule. */
const targetRules = ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26']

/**
 * Whether the bank of an account rests on a day: at weekends, on holidays of its country, and for
 * euro when TARGET does.
 */
export const bankRests = async (find: Find, country: string) => {
  const { default: Holidays } = await aside(() => import('date-holidays'))
  const ofYear = await bankHolidaysIn(find, country)
  const target = new Holidays()
  for (const rule of targetRules) target.setHoliday(rule, { name: rule, type: 'public' })
  const inTarget = new Map<number, ReadonlySet<string>>()
  const targetDays = (year: number): ReadonlySet<string> => {
    const known =
      inTarget.get(year) ?? new Set(target.getHolidays(year).map(({ date }) => date.slice(0, 10)))
    inTarget.set(year, known)
    return known
  }
  return (day: string, currency: string): boolean => {
    const year = Number(day.slice(0, 4))
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (weekday === 0 || weekday === 6) return true
    if (currency === 'EUR' && targetDays(year).has(day)) return true
    return ofYear(year).some((holiday) => holiday.day === day)
  }
}

/** The first time zone of a country; undefined if it is unknown. */
export const timeZoneOfCountry = async (country: string): Promise<TimeZone | undefined> => {
  const { default: Holidays } = await aside(() => import('date-holidays'))
  return new Holidays(country).getTimezones()?.[0]
}
