import type { Command } from 'commander'
import { bankCalendars } from '../domain/aggregates.ts'
import { isDay } from '../domain/time.ts'
import { bankHolidaysIn } from '../infrastructure/bank/bank-holidays.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import type { WithCore } from './with-core.ts'

const countryOf = (text: string): string =>
  /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : fail(`${text} is not a two-letter country code`)

const dayOf = (text: string): string =>
  isDay(text) ? text : fail(`${text} is not a day, as YYYY-MM-DD`)

const list = async ({ find, now }: Core, given: string, options: { readonly year?: string }) => {
  const { year = new Date(now()).getUTCFullYear().toString() } = options
  if (!/^\d{4}$/.test(year)) fail(`${year} is not a four-digit year`)
  return (await bankHolidaysIn(find, countryOf(given)))(Number(year))
}

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
  const command =
    entry.status === 'present'
      ? ({ type: 'Change', changes: data } as const)
      : ({ type: 'Register', data } as const)
  await core.handle(bankCalendars, country, command, core.contextOf('operator'))
  return data
}

/** `daybook holidays`: the days without payouts (interface 10). */
export const addHolidayCommands = (program: Command, withCore: WithCore): void => {
  const holidays = program.command('holidays').description('bank holidays, by country')
  holidays
    .command('list <country>')
    .description('list the days of a year on which banks of a country rest')
    .option('--year <year>', 'default: the current one')
    .action(withCore(list))
  holidays
    .command('add <country> <day...>')
    .description('pay nothing out on more days, as YYYY-MM-DD')
    .action(withCore((core, country: string, days: string[]) => set(core, country, days, true)))
  holidays
    .command('remove <country> <day...>')
    .description('pay out on days that are holidays, because banks work')
    .action(withCore((core, country: string, days: string[]) => set(core, country, days, false)))
}
