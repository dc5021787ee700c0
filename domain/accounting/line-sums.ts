import type { MinorUnits } from '../money/money.ts'
import type { Charge } from './charge.ts'
import { movesMoney, type TransactionLine } from './transaction-line.ts'

/** Lines that ledgers and the journal count alike, as one. */
export type LineSum = Readonly<Sum>

type Sum = Pick<TransactionLine, 'merchant' | 'ledger' | 'action' | 'currency'> & {
  /** Of the first of them. */
  readonly at: TransactionLine['at']
  count: number
  amount: MinorUnits
  additionalAmount: MinorUnits
  /** Null when they move no money. */
  readonly charge: { -readonly [Member in keyof Charge]: Charge[Member] } | null
}

/** So far below what a number counts exactly that sums and differences of a few of them are exact, too. */
const largest = 2 ** 50

const isSmall = (minor: MinorUnits): boolean => Math.abs(minor) <= largest

const kindOf = ({ merchant, ledger, action, currency, charge }: TransactionLine): string =>
  `${merchant} ${ledger} ${action} ${currency} ${charge?.taxcode ?? ''}`

const sumOf = (line: TransactionLine): Sum => {
  const { merchant, ledger, action, currency, at, amount, additionalAmount, charge } = line
  const about = { merchant, ledger, action, currency, at, count: 1 }
  return { ...about, amount, additionalAmount, charge: charge && { ...charge } }
}

/** Whether the line is in the sum now: it is not when that would no longer be counted exactly. */
const takeIn = (sum: Sum, line: TransactionLine): boolean => {
  const amount = sum.amount + line.amount
  const additionalAmount = sum.additionalAmount + line.additionalAmount
  if (!isSmall(amount) || !isSmall(additionalAmount)) return false
  if (sum.charge && movesMoney(line)) {
    const fee = sum.charge.fee + line.charge.fee
    const interchange = sum.charge.interchange + line.charge.interchange
    const vat = sum.charge.vat + line.charge.vat
    if (!isSmall(fee) || !isSmall(interchange) || !isSmall(vat)) return false
    sum.charge.fee = fee
    sum.charge.interchange = interchange
    sum.charge.vat = vat
  }
  sum.amount = amount
  sum.additionalAmount = additionalAmount
  sum.count += 1
  return true
}

/** Adds up lines, those of a kind together. */
export const sumLines = () => {
  const open = new Map<string, Sum>()
  let sums: Sum[] = []
  return {
    add: (line: TransactionLine): void => {
      const kind = kindOf(line)
      const sum = open.get(kind)
      if (sum && takeIn(sum, line)) return
      const begun = sumOf(line)
      open.set(kind, begun)
      sums.push(begun)
    },
    /** The sums of all lines since this was last asked, in the order of their first lines. */
    take: (): readonly LineSum[] => {
      const taken = sums
      sums = []
      open.clear()
      return taken
    },
  }
}
