import { bankCalendars } from '../domain/aggregates.ts'
import { isDay } from '../domain/time.ts'
import { bankHolidaysIn } from '../infrastructure/bank/bank-holidays.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import { group, onData, value } from './command.ts'
import { put } from './life-cycles.ts'

const countryOf = (text: string): string =>
  /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : fail(`${text} is not a two-letter country code`)

const dayOf = (text: string): string =>
  isDay(text) ? text : fail(`${text} is not a day, as YYYY-MM-DD`)

const without = (days: readonly string[], some: readonly string[]): string[] =>
  days.filter((day) => !some.includes(day))

/** Marks days as bank holidays of a country, or as working days. */
const set = async (core: Core, given: string, days: readonly string[], isHoliday: boolean) => {
  const [country, wanted] = [countryOf(given), days.map(dayOf)]
  const entry = await core.find(bankCalendars, country)
  const { closed, open } = entry.status === 'present' ? entry.data : { closed: [], open: [] }
  const withThem = (known: readonly string[]) => [...new Set([...known, ...wanted])].sort()
  const data = isHoliday
    ? { country, closed: withThem(closed), open: without(open, wanted) }
    : { country, closed: without(closed, wanted), open: withThem(open) }
  await put(core, bankCalendars, country, data, core.contextOf('operator'))
  return data
}

/** `daybook holidays`: the days without payouts (interface 10). */
export const holidayCommands = group('holidays', 'bank holidays, by country', [
  onData({
    name: 'list <country>',
    about: 'list the days of a year on which banks of a country rest',
    options: { year: value('<year>', 'default: the current one') },
    run: async ({ find, now }, country, { year = new Date(now()).getUTCFullYear().toString() }) => {
      if (!/^\d{4}$/.test(year)) fail(`${year} is not a four-digit year`)
      return (await bankHolidaysIn(find, countryOf(country)))(Number(year))
    },
  }),
  onData({
    name: 'add <country> <day...>',
    about: 'pay nothing out on more days, as YYYY-MM-DD',
    run: (core, country, days) => set(core, country, days, true),
  }),
  onData({
    name: 'remove <country> <day...>',
    about: 'pay out on days that are holidays, because banks work',
    run: (core, country, days) => set(core, country, days, false),
  }),
])
