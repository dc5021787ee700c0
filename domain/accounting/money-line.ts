import { addUp, negated, type MinorUnits, type Sum } from '../money/money.ts'
import type { Instant } from '../time.ts'
import type { LineAction } from './transaction-line.ts'

/**
 * Selects the lines that move money between two positions; null means all ledgers or all merchants.
 */
export type MoneyLineRange = {
  readonly merchant: string | null
  readonly ledger: string | null
  readonly after: number
  readonly before: number
}

/** A line that moves money, or the sum of several. */
export type MoneyLine = {
  readonly merchant: string
  readonly currency: string
  readonly action: LineAction
  readonly isOfPermission: boolean
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  readonly fee: MinorUnits
  readonly interchange: MinorUnits
  readonly vat: MinorUnits
}

export type ListedLine = MoneyLine & {
  readonly position: number
  readonly ledger: string
  readonly tid: string
  readonly subId: string | null
  readonly at: Instant
}

export type SummedLines = MoneyLine & { readonly count: number }

/** What a line adds to each number of a report or settlement, by the number's name. */
export const numbersOfLine = (line: MoneyLine): Readonly<Record<string, Sum>> => {
  const { amount, additionalAmount, fee, interchange, vat, isOfPermission } = line
  const gross = addUp(amount, additionalAmount)
  const fees = isOfPermission
    ? { scope_fee: addUp(fee), scope_fee_vat: addUp(vat) }
    : {
        transaction_fee: addUp(fee),
        transaction_fee_vat: addUp(vat),
        interchange: addUp(interchange),
      }
  return {
    amount_total: addUp(amount),
    additional_amount_total: addUp(additionalAmount),
    gross,
    ...fees,
    net: addUp(gross, negated(addUp(fee, interchange, vat))),
  }
}
