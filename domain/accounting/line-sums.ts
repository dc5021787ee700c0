import type { MinorUnits } from '../money/money.ts'
import type { Charge } from './fees.ts'
import { movesMoney, type TransactionLine } from './transaction-line.ts'

/** In nearly all time zones a day begins at the start of a half hour of UTC. */
export const halfHourMs = 1_800_000

/** The sum of lines of one kind and half hour. Read models fold it like a single line. */
export type LineSum = Readonly<Sum>

type Sum = Pick<
  TransactionLine,
  'merchant' | 'ledger' | 'posId' | 'action' | 'isFirst' | 'currency'
> & {
  /** Time of the first line. */
  readonly at: TransactionLine['at']
  count: number
  amount: MinorUnits
  additionalAmount: MinorUnits
  readonly charge: { -readonly [Member in keyof Charge]: Charge[Member] } | null
}

/** Low enough that adding a few of these stays exact. */
const maxExactSum = 2 ** 50

const isSmall = (minor: MinorUnits): boolean => Math.abs(minor) <= maxExactSum

const halfHourOf = (at: TransactionLine['at']): number => Math.floor(at / halfHourMs)

/**
 * Which parts a line adds to, takes from, or leaves. Lines that differ in it could cancel out, and
 * what no line has moved could not be told from that.
 */
const waysOf = ({
  amount,
  additionalAmount,
  charge,
}: Pick<Sum, 'amount' | 'additionalAmount' | 'charge'>): number => {
  const gross = amount + additionalAmount
  if (!charge) return Math.sign(gross)
  const { fee, interchange, vat } = charge
  const parts = [gross, gross - fee - interchange - vat, fee, interchange, vat]
  return parts.reduce((ways, part) => 3 * ways + Math.sign(part), 0)
}

/** Of lines of one merchant and point of sale. */
const isOfKind = (sum: Sum, line: TransactionLine): boolean => {
  const { ledger, at, action, isFirst, currency, charge } = line
  return (
    sum.action === action &&
    halfHourOf(sum.at) === halfHourOf(at) &&
    sum.isFirst === (isFirst ?? false) &&
    sum.ledger === ledger &&
    sum.currency === currency &&
    sum.charge?.taxcode === charge?.taxcode &&
    waysOf(sum) === waysOf(line)
  )
}

const sumOf = (line: TransactionLine): Sum => {
  const { merchant, ledger, posId = null, action, isFirst = false, currency, at, charge } = line
  const { amount, additionalAmount } = line
  const about = { merchant, ledger, posId, action, isFirst, currency, at, count: 1 }
  return { ...about, amount, additionalAmount, charge: charge && { ...charge } }
}

/** Returns false, and changes nothing, if the sum would no longer be exact. */
const addExactly = (sum: Sum, line: TransactionLine): boolean => {
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

/** Adds up lines by kind. Comparing them takes less than a text as the key of each. */
export const sumLines = () => {
  const open = new Map<string, Map<string | null, Sum[]>>()
  let sums: Sum[] = []

  const openOf = ({ merchant, posId = null }: TransactionLine): Sum[] => {
    const ofMerchant = open.get(merchant) ?? new Map<string | null, Sum[]>()
    open.set(merchant, ofMerchant)
    const found = ofMerchant.get(posId) ?? []
    ofMerchant.set(posId, found)
    return found
  }

  return {
    add: (line: TransactionLine): void => {
      const alike = openOf(line)
      const sum = alike.findLast((one) => isOfKind(one, line))
      if (sum && addExactly(sum, line)) return
      const started = sumOf(line)
      alike.push(started)
      sums.push(started)
    },
    /** The sums since the last call, ordered by their first line. */
    take: (): readonly LineSum[] => {
      const taken = sums
      sums = []
      open.clear()
      return taken
    },
  }
}
