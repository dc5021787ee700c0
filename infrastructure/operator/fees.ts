import type { Command } from 'commander'
import { feeSchedules } from '../../domain/aggregates.ts'
import { isTaxcode, taxcodes } from '../../domain/accounting/fees.ts'
import { isCurrency } from '../../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../../domain/money/money.ts'
import { ratePattern } from '../../domain/money/rate.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import { presentMerchant } from './arguments.ts'
import { instantOf } from './time.ts'
import type { WithCore } from './with-core.ts'

type FeeOptions = {
  readonly from: string
  readonly currency?: string
  readonly transactionRate: string
  readonly transactionFixed: string
  readonly interchangeRate: string
  readonly permissionFixed: string
  readonly settlementFixed: string
  readonly taxcode: string
  readonly refundsReturnFees?: true
}

const rateOf = (text: string): string =>
  ratePattern.test(text) ? text : fail(`${text} is no rate from 0 to 1, such as 0.009`)

const fixedOf = (text: string, currency: string): number => {
  try {
    return parseAmount(text, currency)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return fail(`${text} is no amount of ${currency}: ${error.message}`)
  }
}

const setFees = async (core: Core, id: string, options: FeeOptions) => {
  const merchant = await presentMerchant(core, id)
  const currency = (options.currency ?? merchant.currency).toUpperCase()
  if (!isCurrency(currency)) fail(`${currency} is no current ISO 4217 code`)
  const { taxcode } = options
  if (!isTaxcode(taxcode)) fail(`${taxcode} is none of ${taxcodes.join(', ')}`)
  const schedule = {
    from: instantOf(options.from),
    currency,
    transactionRate: rateOf(options.transactionRate),
    transactionFixed: fixedOf(options.transactionFixed, currency),
    interchangeRate: rateOf(options.interchangeRate),
    permissionFixed: fixedOf(options.permissionFixed, currency),
    settlementFixed: fixedOf(options.settlementFixed, currency),
    taxcode,
    refundsReturnFees: options.refundsReturnFees ?? false,
  }
  const context = core.contextOf('operator', id)
  await core.handle(feeSchedules, id, { type: 'ScheduleFees', schedule }, context)
  return {
    merchant: id,
    from: new Date(schedule.from).toISOString(),
    currency,
    transaction_rate: schedule.transactionRate,
    transaction_fixed: formatAmount(schedule.transactionFixed, currency),
    interchange_rate: schedule.interchangeRate,
    permission_fixed: formatAmount(schedule.permissionFixed, currency),
    settlement_fixed: formatAmount(schedule.settlementFixed, currency),
    taxcode,
    refunds_return_fees: schedule.refundsReturnFees,
  }
}

/** `daybook fees` (decisions 9): what merchants pay. */
export const addFeeCommands = (program: Command, withCore: WithCore): void => {
  program
    .command('fees')
    .description('what merchants pay')
    .command('set <merchant>')
    .description('set the fees from a date on; what has been charged stays as it was')
    .requiredOption('--from <date>', 'first day, YYYY-MM-DD in UTC, or with hh:mm:ss')
    .option(
      '--currency <code>',
      'of payments and fixed parts; default: that of the merchant, whose rates also hold where no others are set',
    )
    .option('--transaction-rate <rate>', 'part of the gross of each capture, such as 0.009', '0')
    .option('--transaction-fixed <amount>', 'for each capture', '0')
    .option('--interchange-rate <rate>', 'part of the gross of each credit capture', '0')
    .option('--permission-fixed <amount>', 'for each answered permission request', '0')
    .option('--settlement-fixed <amount>', 'for each settlement', '0')
    .option('--taxcode <code>', `one of ${taxcodes.join(', ')}`, taxcodes[0])
    .option('--refunds-return-fees', 'a refund gives back its part of what was charged')
    .action(withCore(setFees))
}
