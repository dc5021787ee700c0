import type { Command } from 'commander'
import { planFees, setFees, taxcodesKnown } from '../application/set-fees.ts'
import { feeSchedules, merchants } from '../domain/aggregates.ts'
import { termsInForce, type FeeSchedule } from '../domain/accounting/fees.ts'
import { charged, shippedTaxcode, vatRateOf } from '../domain/accounting/taxcodes.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../domain/money/money.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { presentMerchant, rateOf, instantOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type FeeOptions = {
  readonly from: string
  readonly currency?: string
  readonly transactionRate?: string
  readonly transactionFixed?: string
  readonly interchangeRate?: string
  readonly permissionFixed?: string
  readonly settlementFixed?: string
  readonly taxcode?: string
  readonly refundsReturnFees?: boolean
}

/** @throws OperatorError if it is not an amount in the currency */
export const fixedOf = (text: string, currency: string): number => {
  try {
    return parseAmount(text, currency)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return fail(`${text} must be an amount of ${currency}: ${error.message}`)
  }
}

const shown = (merchant: string, schedule: FeeSchedule) => {
  const { currency, taxcode, vat } = schedule
  const amount = (minor: number) => formatAmount(minor, currency)
  const rates = charged.map((what) => [`vat_on_${what}_fees`, vatRateOf(what, taxcode, vat)])
  return {
    merchant,
    from: new Date(schedule.from).toISOString(),
    currency,
    transaction_rate: schedule.transactionRate,
    transaction_fixed: amount(schedule.transactionFixed),
    interchange_rate: schedule.interchangeRate,
    permission_fixed: amount(schedule.permissionFixed),
    settlement_fixed: amount(schedule.settlementFixed),
    taxcode,
    ...(Object.fromEntries(rates) as Record<string, string>),
    refunds_return_fees: schedule.refundsReturnFees,
  }
}

/** The tax code with its rates, as stored in a schedule. */
const taxOf = async (core: Core, code: string) => {
  const known = await taxcodesKnown(core)
  const { taxcode, vat } =
    known.find((one) => one.taxcode === code) ??
    fail(
      `${code} must be one of ${known.map(({ taxcode }) => taxcode).join(', ')}: ` +
        'add it with taxcode add',
    )
  return { taxcode, vat }
}

const setGiven = async (core: Core, id: string, options: FeeOptions) => {
  const merchant = await presentMerchant(core, id)
  const currency = (options.currency ?? merchant.currency).toUpperCase()
  if (!isCurrency(currency)) fail(`${currency} must be a current ISO 4217 code`)
  const rate = (given: string | undefined) => (given === undefined ? undefined : rateOf(given))
  const fixed = (given: string | undefined) =>
    given === undefined ? undefined : fixedOf(given, currency)
  const terms = {
    transactionRate: rate(options.transactionRate),
    transactionFixed: fixed(options.transactionFixed),
    interchangeRate: rate(options.interchangeRate),
    permissionFixed: fixed(options.permissionFixed),
    settlementFixed: fixed(options.settlementFixed),
    ...(options.taxcode !== undefined && (await taxOf(core, options.taxcode))),
    refundsReturnFees: options.refundsReturnFees,
  }
  const from = instantOf(options.from)
  const { schedule } = await planFees(core)(id, { from, currency, terms })
  await setFees(core)(id, schedule, core.contextOf('operator', id))
  return shown(id, schedule)
}

/** The fees of some or all merchants, with those in force marked. */
const listFees = async (core: Core, ids: readonly string[]) => {
  await core.readModels.caughtUp()
  for (const id of ids) await presentMerchant(core, id)
  const all = ids.length > 0 ? ids : core.merchants.merchants.all().map(({ data }) => data.id)
  const listed = all.map(async (id) => {
    const [schedules, entry] = await Promise.all([
      core.find(feeSchedules, id),
      core.find(merchants, id),
    ])
    const own = entry.status === 'present' ? entry.data.currency : ''
    return schedules.map((schedule) => ({
      ...shown(id, schedule),
      holds_now: termsInForce(schedules, schedule.currency, own, core.now()) === schedule,
    }))
  })
  return (await Promise.all(listed)).flat()
}

/** `daybook fees` (interface 9). */
export const addFeeCommands = (program: Command, withCore: WithCore): void => {
  const fees = program.command('fees').description('fees of merchants')
  fees
    .command('list [merchant...]')
    .description('list the fees of some merchants, or of all')
    .action(withCore(listFees))
  fees
    .command('set <merchant>')
    .description(
      'set fees from a date on and print all fees in force then: options left out keep their ' +
        'value, and past charges stay',
    )
    .requiredOption('--from <date>', 'first day, YYYY-MM-DD in UTC, or with hh:mm:ss')
    .option(
      '--currency <code>',
      'of payments and fixed parts; default: that of the merchant, whose rates also apply to ' +
        'currencies without their own',
    )
    .option('--transaction-rate <rate>', 'share of the gross of each capture, such as 0.009')
    .option('--transaction-fixed <amount>', 'for each capture')
    .option('--interchange-rate <rate>', 'share of the gross of each credit capture')
    .option('--permission-fixed <amount>', 'for each answered permission request')
    .option('--settlement-fixed <amount>', 'for each settlement')
    .option('--taxcode <code>', `one of taxcode list, initially ${shippedTaxcode.code}`)
    .option('--refunds-return-fees', 'a refund returns its share of the fees')
    .option('--no-refunds-return-fees', 'a refund returns no fees (the initial setting)')
    .action(withCore(setGiven))
}
