import { planFees, setFees, taxcodesKnown } from '../application/set-fees.ts'
import { feeSchedules, merchants, taxcodesOfOperator } from '../domain/aggregates.ts'
import { termsInForce, type FeeSchedule } from '../domain/accounting/fees.ts'
import {
  charged,
  shippedTaxcode,
  taxcodePattern,
  vatRateOf,
  type Taxcode,
} from '../domain/accounting/taxcodes.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { formatAmount, parseAmount } from '../domain/money/money.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { presentMerchant, rateOf, instantOf } from './arguments.ts'
import { flag, group, onData, onRows, preset, required, value } from './command.ts'

/** @throws OperatorError if it is not an amount in the currency */
export const fixedOf = (text: string, currency: string, parse = parseAmount): number => {
  try {
    return parse(text, currency)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return fail(`${text} must be an amount of ${currency}: ${error.message}`)
  }
}

const printed = (merchant: string, schedule: FeeSchedule) => {
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

const printedTaxcode = ({ code, description, vat }: Taxcode) => ({
  taxcode: code,
  description,
  vat_on_transaction_fees: vat.transaction,
  vat_on_permission_fees: vat.permission,
  vat_on_settlement_fees: vat.settlement,
})

const setCommand = onData({
  name: 'set <merchant>',
  about:
    'set fees from a date on and print all fees in force then: options left out keep their ' +
    'value, and past charges stay',
  options: {
    from: required('<date>', 'first day, YYYY-MM-DD in UTC, or with hh:mm:ss'),
    currency: value(
      '<code>',
      'of payments and fixed parts; default: that of the merchant, whose rates also apply to ' +
        'currencies without their own',
    ),
    transactionRate: value('<rate>', 'share of the gross of each capture, such as 0.009'),
    transactionFixed: value('<amount>', 'for each capture'),
    interchangeRate: value('<rate>', 'share of the gross of each credit capture'),
    permissionFixed: value('<amount>', 'for each answered permission request'),
    settlementFixed: value('<amount>', 'for each settlement'),
    taxcode: value('<code>', `one of taxcode list, initially ${shippedTaxcode.code}`),
    refundsReturnFees: flag('a refund returns its share of the fees'),
    noRefundsReturnFees: flag('a refund returns no fees (the initial setting)'),
  },
  run: async (core, id, options) => {
    const merchant = await presentMerchant(core, id)
    const currency = (options.currency ?? merchant.currency).toUpperCase()
    if (!isCurrency(currency)) fail(`${currency} must be a current ISO 4217 code`)
    const rate = (text: string | undefined) => (text === undefined ? undefined : rateOf(text))
    const fixed = (text: string | undefined) =>
      text === undefined ? undefined : fixedOf(text, currency)
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
    return printed(id, schedule)
  },
})

/** With those in force marked. */
const listFees = onRows({
  name: 'list [merchant...]',
  about: 'list the fees of some merchants, or of all',
  run: async (core, ids) => {
    for (const id of ids) await presentMerchant(core, id)
    const all = ids.length > 0 ? ids : core.merchants.merchants.all().map(({ data }) => data.id)
    const listed = all.map(async (id) => {
      const [schedules, entry] = await Promise.all([
        core.find(feeSchedules, id),
        core.find(merchants, id),
      ])
      const own = entry.status === 'present' ? entry.data.currency : ''
      return schedules.map((schedule) => ({
        ...printed(id, schedule),
        holds_now: termsInForce(schedules, schedule.currency, own, core.now()) === schedule,
      }))
    })
    return (await Promise.all(listed)).flat()
  },
})

const taxcodeCommands = group('taxcode', 'tax codes, which set the VAT on fees', [
  onData({
    name: 'add <code>',
    about: 'add a tax code; it cannot be changed, so a new rate needs a new code',
    options: {
      transactionVat: preset('<rate>', 'on transaction fees, such as 0.25', '0'),
      permissionVat: preset('<rate>', 'on permission fees', '0'),
      settlementVat: preset('<rate>', 'on settlement fees', '0'),
      description: preset('<text>', 'what it is for', ''),
    },
    run: async (core, code, options) => {
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
      return printedTaxcode(taxcode)
    },
  }),
  onData({
    name: 'list',
    about: 'list the tax codes',
    run: async ({ find }) => (await find(taxcodesOfOperator, 'operator')).map(printedTaxcode),
  }),
])

/** `daybook fees` and `daybook taxcode` (interface 9). */
export const feeCommands = [
  group('fees', 'fees of merchants', [listFees, setCommand]),
  taxcodeCommands,
]
