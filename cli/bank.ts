import type { Imported } from '../application/import-statement.ts'
import { bankEntries, bankCalendars } from '../domain/aggregates.ts'
import { formatAmount } from '../domain/money/money.ts'
import { fundingAccounts } from '../service/bank/funding.ts'
import { importBankFile } from '../service/bank/import-uploaded.ts'
import { fail } from '../infrastructure/failures.ts'
import { contentOf } from './arguments.ts'
import { group, onData, onRows, required, value } from './command.ts'
import { isDay } from '../domain/time.ts'
import { bankHolidaysIn } from '../infrastructure/bank/bank-holidays.ts'
import type { Core } from '../service/core.ts'
import { put } from './life-cycles.ts'
import { aside } from '../application/machine.ts'

const countryOf = (text: string): string =>
  /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : fail(`${text} is not a two-letter country code`)

const dayOf = (text: string): string =>
  isDay(text) ? text : fail(`${text} is not a day, as YYYY-MM-DD`)

const without = (days: readonly string[], some: readonly string[]): string[] =>
  days.filter((day) => !some.includes(day))

/** Marks days as bank holidays of a country, or as working days. */
const set = async (core: Core, code: string, days: readonly string[], isHoliday: boolean) => {
  const [country, added] = [countryOf(code), days.map(dayOf)]
  const entry = await core.find(bankCalendars, country)
  const { closed, open } = entry.status === 'present' ? entry.data : { closed: [], open: [] }
  const withThem = (known: readonly string[]) => [...new Set([...known, ...added])].sort()
  const data = isHoliday
    ? { country, closed: withThem(closed), open: without(open, added) }
    : { country, closed: without(closed, added), open: withThem(open) }
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

const listed = 1000

const mostLeftOut = 20

const printed = ({ paid, returned, received, known, unmatched, alarms }: Imported) => ({
  payouts_paid: paid,
  payouts_returned: returned,
  funding_received: received,
  known_already: known,
  not_matched: unmatched,
  alarms,
})

const importFile = onData({
  name: 'import <file>',
  about:
    'read statements, notifications (ISO 20022 camt.052 to camt.054) or reports (pain.002) of ' +
    'BANK_ACCOUNT and of the accounts of funding; name other accounts, and raise an alarm for ' +
    'money that left, or came in, unexplained',
  run: async (core, file) => {
    // Loaded on demand: no other command reads XML.
    const { readBankFile } = await aside(() => import('../infrastructure/bank/bank-file.ts'))
    const content = await contentOf(file)
    const { BANK_ACCOUNT } = core.settings
    const { kind, passedOver, leftOut, ...says } = readBankFile(
      ...([content, file, BANK_ACCOUNT, fundingAccounts(core.settings)] as const),
    )
    const contextOf = (merchant: string | null) => core.contextOf('operator', merchant)
    const done = printed(await importBankFile(core, contextOf)(says))
    return {
      file,
      kind,
      ...done,
      passed_over: passedOver,
      ...(leftOut.length > 0 && { left_out: leftOut.slice(0, mostLeftOut) }),
    }
  },
})

const listOpen = onRows({
  name: 'list',
  about: 'list the entries that are those of no payout, oldest first',
  run: ({ accounting }) =>
    accounting.bankEntries.open(listed).map(({ id, entry }) => ({
      id,
      day: entry.day,
      side: entry.side,
      amount: formatAmount(entry.amount, entry.currency),
      currency: entry.currency,
      why: entry.problem?.replaceAll('_', ' ') ?? null,
      end_to_end_id: entry.endToEndId,
      message_id: entry.messageId,
      bank_reference: entry.reference,
      statement: `${entry.source.kind} ${entry.source.id}`,
    })),
})

const dismiss = onData({
  name: 'dismiss <entry>',
  about: 'take an entry that has nothing to do with payouts off the list',
  options: { note: required('<text>', 'what it is') },
  run: async (core, id, { note }) => {
    if (note.trim() === '') fail('a note has at least one non-blank character')
    const command = { type: 'DismissEntry', note: note.trim() } as const
    await core.handle(bankEntries, id, command, core.contextOf('operator'))
    return { id, note: note.trim() }
  },
})

/** `daybook bank`: imports bank statements about payouts (interface 10). */
export const bankCommands = group('bank', 'what the bank says of payouts', [
  importFile,
  listOpen,
  dismiss,
])
