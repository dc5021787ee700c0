import { z } from 'zod'
import { addUp, negated, type MinorUnits, type Sum } from '../money/money.ts'
import {
  lineActions,
  movesMoney,
  permissionActions,
  type TransactionLine,
} from './transaction-line.ts'

export const feeTypes = [
  'transaction_fee',
  'transaction_fee_vat',
  'interchange',
  'scope_fee',
  'scope_fee_vat',
  'settlement_fee',
  'settlement_fee_vat',
] as const

type FeeType = (typeof feeTypes)[number]

/** Exact minor units as text. */
export const sum = z.string().regex(/^-?\d+$/)

/** Sums for one currency and tax code. */
export const total = z.object({
  currency: z.string(),
  taxcode: z.string(),
  amount: sum,
  additionalAmount: sum,
  /** Non-zero fees only. */
  fees: z.partialRecord(z.enum(feeTypes), sum),
})

export type Total = z.output<typeof total>
export type Totals = readonly Total[]

export const totalGross = ({ amount, additionalAmount }: Total): Sum =>
  addUp(amount, additionalAmount)

export const totalNet = (sums: Total): Sum =>
  addUp(totalGross(sums), ...Object.values(sums.fees).map(negated))

type Summed = Pick<
  TransactionLine,
  'action' | 'currency' | 'amount' | 'additionalAmount' | 'charge'
>

type Addition = {
  readonly currency: string
  readonly taxcode: string
  readonly amount?: MinorUnits
  readonly additionalAmount?: MinorUnits
  readonly fees: Readonly<Partial<Record<FeeType, MinorUnits>>>
}

const addFees = (before: Total['fees'], more: Addition['fees']): Total['fees'] => {
  const fees = { ...before }
  for (const type of feeTypes) {
    const fee = more[type]
    if (fee === undefined || fee === 0) continue
    const after = addUp(fees[type] ?? 0, fee)
    if (after === '0') delete fees[type]
    else fees[type] = after
  }
  return fees
}

const byName = (a: Total, b: Total): number =>
  `${a.currency} ${a.taxcode}` < `${b.currency} ${b.taxcode}` ? -1 : 1

/** Keeps totals ordered by currency and tax code. */
export const addToTotals = (totals: Totals, more: Addition): Totals => {
  const { currency, taxcode, amount = 0, additionalAmount = 0 } = more
  const index = totals.findIndex((one) => one.currency === currency && one.taxcode === taxcode)
  const empty = { currency, taxcode, amount: '0', additionalAmount: '0', fees: {} }
  const before = totals[index] ?? empty
  const after = {
    currency,
    taxcode,
    amount: addUp(before.amount, amount),
    additionalAmount: addUp(before.additionalAmount, additionalAmount),
    fees: addFees(before.fees, more.fees),
  }
  return index < 0 ? [...totals, after].sort(byName) : totals.with(index, after)
}

const isOfPermission = ({ action }: Pick<TransactionLine, 'action'>): boolean =>
  (permissionActions as readonly string[]).includes(action)

export const addLine = (totals: Totals, line: Summed): Totals => {
  if (!movesMoney(line)) return totals
  const { currency, amount, additionalAmount } = line
  const { fee, interchange, vat, taxcode } = line.charge
  const fees = isOfPermission(line)
    ? { scope_fee: fee, scope_fee_vat: vat }
    : { transaction_fee: fee, transaction_fee_vat: vat, interchange }
  return addToTotals(totals, { currency, taxcode, amount, additionalAmount, fees })
}

export const counters = z.partialRecord(z.enum(lineActions), z.int())
export type Counters = z.output<typeof counters>

type Counted = Pick<TransactionLine, 'action'> & { readonly count?: number }

export const countLine = (counts: Counters, { action, count = 1 }: Counted): Counters => ({
  ...counts,
  [action]: (counts[action] ?? 0) + count,
})
