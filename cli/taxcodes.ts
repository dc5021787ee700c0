import type { Command } from 'commander'
import { taxcodesOfOperator } from '../domain/aggregates.ts'
import { taxcodePattern, type Taxcode } from '../domain/accounting/taxcodes.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { rateOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

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
export const addTaxcodeCommands = (program: Command, withCore: WithCore): void => {
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
