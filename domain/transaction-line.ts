import { z } from 'zod'
import type { Charge } from './charge.ts'
import { addUp, negated, type MinorUnits, type Sum } from './money.ts'
import type { Instant } from './time.ts'

/** What a line of a transaction log tells (decisions 8). */
export const lineActions = [
  'request',
  'auth',
  'capture',
  'release',
  'abort',
  'expire',
  'fail',
  'refund',
] as const

export type LineAction = (typeof lineActions)[number]

/** A line of a transaction log; amounts in minor units, those of a refund below zero. */
export type TransactionLine = {
  /** Of its event in the log: decides the report and the settlement that it belongs to. */
  readonly position: number
  readonly merchant: string
  readonly ledger: string
  readonly tid: string
  /** Capture or refund id. */
  readonly subId: string | null
  readonly at: Instant
  readonly action: LineAction
  readonly credit: boolean
  readonly customer: string | null
  readonly currency: string
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  /** Null on lines that move no money. */
  readonly charge: Charge | null
}

/** A line whose money moves: it is settled. */
export type MoneyLine = TransactionLine & { readonly charge: Charge }

export const movesMoney = (line: TransactionLine): line is MoneyLine => line.charge !== null

export const feeTypes = [
  'transaction_fee',
  'transaction_fee_vat',
  'interchange',
  'scope_fee',
  'scope_fee_vat',
  'settlement_fee',
  'settlement_fee_vat',
] as const

export type FeeType = (typeof feeTypes)[number]

/** An exact sum of minor units, as text. */
export const sum = z.string().regex(/^-?\d+$/)

/** Sums of lines in one currency and under one taxcode. */
export const total = z.object({
  currency: z.string(),
  taxcode: z.string(),
  amount: sum,
  additionalAmount: sum,
  /** Those that are not zero. */
  fees: z.partialRecord(z.enum(feeTypes), sum),
})

export type Total = z.output<typeof total>
export type Totals = readonly Total[]

export const totalGross = ({ amount, additionalAmount }: Total): Sum =>
  addUp(amount, additionalAmount)

/** Gross less all fees. */
export const totalNet = (sums: Total): Sum =>
  addUp(totalGross(sums), ...Object.values(sums.fees).map(negated))

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

/** Totals with something more in them, in the order of currency and taxcode. */
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

/** Totals with a line in them. */
export const addLine = (totals: Totals, line: TransactionLine): Totals => {
  if (!movesMoney(line)) return totals
  const { currency, amount, additionalAmount } = line
  const { fee, interchange, vat, taxcode } = line.charge
  const fees = { transaction_fee: fee, transaction_fee_vat: vat, interchange }
  return addToTotals(totals, { currency, taxcode, amount, additionalAmount, fees })
}

/** Adds up very many lines: the same as `addLine` one after another, without making anything anew for each. */
export const sumLines = () => {
  const sums = new Map<string, { about: Total; minors: bigint[] }>()
  return {
    add(line: TransactionLine): void {
      if (!movesMoney(line)) return
      const { currency, amount, additionalAmount } = line
      const { fee, vat, interchange, taxcode } = line.charge
      const name = `${currency} ${taxcode}`
      let own = sums.get(name)
      if (!own) {
        const about = { currency, taxcode, amount: '0', additionalAmount: '0', fees: {} }
        own = { about, minors: [0n, 0n, 0n, 0n, 0n] }
        sums.set(name, own)
      }
      const { minors } = own
      const added = [amount, additionalAmount, fee, vat, interchange]
      for (let index = 0; index < added.length; index++)
        if (added[index]) minors[index] = (minors[index] ?? 0n) + BigInt(added[index] ?? 0)
    },
    totals: (): Total[] =>
      [...sums.values()]
        .map(({ about, minors }) => {
          const [amount, additionalAmount, ...charged] = minors.map(String)
          const types = ['transaction_fee', 'transaction_fee_vat', 'interchange'] as const
          const fees: Total['fees'] = {}
          for (const [index, type] of types.entries()) {
            const fee = charged[index]
            if (fee !== undefined && fee !== '0') fees[type] = fee
          }
          return {
            ...about,
            amount: amount ?? '0',
            additionalAmount: additionalAmount ?? '0',
            fees,
          }
        })
        .sort(byName),
  }
}

/** How many lines of each action there are. */
export const counters = z.partialRecord(z.enum(lineActions), z.int())
export type Counters = z.output<typeof counters>

export const countLine = (counts: Counters, { action }: TransactionLine): Counters => ({
  ...counts,
  [action]: (counts[action] ?? 0) + 1,
})
