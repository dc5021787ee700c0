import type { Command } from 'commander'
import type { Settings } from '../infrastructure/settings.ts'
import { addBankCommands } from './bank.ts'
import { addFeeCommands } from './fees.ts'
import { addPayoutCommands } from './payouts.ts'
import { addSettlementCommands } from './settlements.ts'
import type { WithCore } from './with-core.ts'
import { taxcodesOfOperator, bankCalendars } from '../domain/aggregates.ts'
import { taxcodePattern, type Taxcode } from '../domain/accounting/taxcodes.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { rateOf } from './arguments.ts'
import { isDay } from '../domain/time.ts'
import { bankHolidaysIn } from '../infrastructure/bank/bank-holidays.ts'

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
const addHolidayCommands = (program: Command, withCore: WithCore): void => {
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

type TaxcodeOptions = {
  readonly transactionVat: string
  readonly permissionVat: string
  readonly settlementVat: string
  readonly description: string
}

const shown = ({ code, description, vat }: Taxcode) => ({
  taxcode: code,
  description,
  vat_on_transaction_fees: vat.transaction,
  vat_on_permission_fees: vat.permission,
  vat_on_settlement_fees: vat.settlement,
})

const addTaxcode = async (core: Core, code: string, options: TaxcodeOptions) => {
  if (!taxcodePattern.test(code)) fail(`${code} must be a country and a name, such as SE:25`)
  const taxcode = {
    code,
    description: options.description.trim(),
    vat: {
      transaction: rateOf(options.transactionVat),
      permission: rateOf(options.permissionVat),
      settlement: rateOf(options.settlementVat),
    },
  }
  const command = { type: 'AddTaxcode', taxcode } as const
  await core.handle(taxcodesOfOperator, 'operator', command, core.contextOf('operator'))
  return shown(taxcode)
}

const listTaxcodes = async ({ find }: Core) =>
  (await find(taxcodesOfOperator, 'operator')).map(shown)

/** `daybook taxcode` (interface 9). */
const addTaxcodeCommands = (program: Command, withCore: WithCore): void => {
  const taxcode = program.command('taxcode').description('tax codes, which set the VAT on fees')
  taxcode
    .command('add <code>')
    .description('add a tax code; it cannot be changed, so a new rate needs a new code')
    .option('--transaction-vat <rate>', 'on transaction fees, such as 0.25', '0')
    .option('--permission-vat <rate>', 'on permission fees', '0')
    .option('--settlement-vat <rate>', 'on settlement fees', '0')
    .option('--description <text>', 'what it is for', '')
    .action(withCore(addTaxcode))
  taxcode.command('list').description('list the tax codes').action(withCore(listTaxcodes))
}

/** The operator's commands for fees, settlements and payouts. */
export const addAccountingCommands = (
  program: Command,
  settings: Settings,
  withCore: WithCore,
): void => {
  addFeeCommands(program, withCore)
  addTaxcodeCommands(program, withCore)
  addHolidayCommands(program, withCore)
  addSettlementCommands(program, settings, withCore)
  addPayoutCommands(program, withCore)
  addBankCommands(program, settings, withCore)
}
