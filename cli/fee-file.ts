import { z } from 'zod'
import type { FeeSchedule, FeeSchedules } from '../domain/accounting/fees.ts'
import {
  charged,
  shippedTaxcode,
  taxcodePattern,
  type VatRates,
} from '../domain/accounting/taxcodes.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { fail, OperatorError } from '../infrastructure/failures.ts'
import { rateOf } from './arguments.ts'
import { fixedOf } from './fees.ts'
import { contentOf } from './files.ts'
import { instantOf } from './time.ts'

const text = z.string()
const none = text.default('0')

/** A schedule in the format of `daybook fees list --json`. */
const entry = z.strictObject({
  merchant: text.min(1),
  from: text.default('1970-01-01'),
  currency: text,
  transaction_rate: none,
  transaction_fixed: none,
  interchange_rate: none,
  permission_fixed: none,
  settlement_fixed: none,
  taxcode: text.regex(taxcodePattern).default(shippedTaxcode.code),
  vat_on_transaction_fees: none,
  vat_on_permission_fees: none,
  vat_on_settlement_fees: none,
  refunds_return_fees: z.boolean().default(false),
  holds_now: z.boolean().optional(),
})

type Entry = z.output<typeof entry>

const vatOf = (given: Entry): VatRates => {
  const rates = charged.map((what) => [what, rateOf(given[`vat_on_${what}_fees`])])
  return Object.fromEntries(rates) as VatRates
}

const scheduleOf = (given: Entry): FeeSchedule => {
  const currency = given.currency.toUpperCase()
  if (!isCurrency(currency)) fail(`${currency} must be a current ISO 4217 code`)
  return {
    from: instantOf(given.from),
    currency,
    transactionRate: rateOf(given.transaction_rate),
    transactionFixed: fixedOf(given.transaction_fixed, currency),
    interchangeRate: rateOf(given.interchange_rate),
    permissionFixed: fixedOf(given.permission_fixed, currency),
    settlementFixed: fixedOf(given.settlement_fixed, currency),
    taxcode: given.taxcode,
    ...(given.taxcode !== shippedTaxcode.code && { vat: vatOf(given) }),
    refundsReturnFees: given.refunds_return_fees,
  }
}

const entriesIn = (file: string, content: Buffer): readonly unknown[] => {
  try {
    const found: unknown = JSON.parse(content.toString('utf8'))
    if (Array.isArray(found) && found.length > 0) return found
  } catch {
    // Reported below.
  }
  return fail(`${file} contains no fees: give a list in the format of daybook fees list --json`)
}

/** The schedules in a file, by merchant. @throws OperatorError that describes the error */
export const feesInFile = async (file: string): Promise<ReadonlyMap<string, FeeSchedules>> => {
  const found = new Map<string, FeeSchedule[]>()
  for (const [index, one] of entriesIn(file, await contentOf(file)).entries()) {
    const place = `${file}, entry ${index + 1}`
    const read = entry.safeParse(one)
    if (!read.success) return fail(`${place}: ${z.prettifyError(read.error).replaceAll('\n', ' ')}`)
    try {
      const { merchant } = read.data
      found.set(merchant, [...(found.get(merchant) ?? []), scheduleOf(read.data)])
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return fail(`${place}: ${error.message}`)
    }
  }
  return found
}
