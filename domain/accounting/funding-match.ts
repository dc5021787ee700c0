import { addUp, negated, portionOf, type MinorUnits, type Rate, type Sum } from '../money/money.ts'
import { isDay } from '../time.ts'
import { byDay, similarMovements } from './bank-facts.ts'
import { unplaced, type Place, type Placing, type Receipt } from './funding-receipt.ts'

export type FundingFact = Receipt & { readonly id: string }

/** A capture, refund or dispute of a payment. */
export type FundingLine = {
  readonly position: number
  /** Of the funding source. */
  readonly day: string
  readonly action: 'capture' | 'refund' | 'dispute'
  readonly currency: string
  /** Below zero if it takes from the merchant. */
  readonly gross: MinorUnits
}

/** An account where funding arrives. */
export type FundingAccount = {
  readonly account: string
  /** Stands before the day in the name of a batch. */
  readonly batchPrefix: string
  /** The share of captures that the source withholds as its fee, if statements do not say it. */
  readonly rate: Rate | null
}

/** The name that says what a movement pays. */
export const nameOf = ({
  endToEndId,
  paymentId,
  messageId,
}: Pick<Receipt, 'endToEndId' | 'paymentId' | 'messageId'>): string | null =>
  endToEndId ?? paymentId ?? messageId ?? null

export const signedSum = ({ amount, side }: Pick<Receipt, 'amount' | 'side'>): Sum =>
  side === 'debit' ? negated(amount) : amount

/** The day that a batch is named by: `<prefix>2026-11-30` or `<prefix>20261130`, and more. */
const dayNamed = (name: string | null, { batchPrefix }: FundingAccount): string | undefined => {
  if (!name?.startsWith(batchPrefix)) return undefined
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(name.slice(batchPrefix.length))
  const day = found?.slice(1).join('-') ?? ''
  return isDay(day) ? day : undefined
}

const ofDay = (day: string, received: Sum, explained: Sum): Place => ({
  day,
  tid: null,
  line: null,
  received,
  explained,
  captured: 0,
  rate: null,
})

/** A receipt as the batch of a day, or as a part of it. */
export const batchPlace = (
  receipt: Receipt,
  day: string,
  { rate }: Pick<FundingAccount, 'rate'>,
): Place => {
  const { withheld = '0' } = receipt
  return { ...ofDay(day, signedSum(receipt), withheld), rate: withheld === '0' ? rate : null }
}

/** What a batch withholds of a day's captures. */
export const feeOfBatch = (captured: MinorUnits, rate: Rate): MinorUnits =>
  captured > 0 ? portionOf(captured, rate) : 0

/** A movement, as one fact or several tell it. */
type Movement = { readonly fact: FundingFact; readonly withheld: Sum }

const linePlace = (tid: string, line: FundingLine, received: Sum): Place => {
  const { day, position, action, gross } = line
  // A dispute is not expected of the source: where it takes the money, the dispute explains it.
  const expected = action === 'dispute' ? 0 : gross
  const explained = addUp(expected, negated(received))
  const captured = action === 'capture' ? gross : 0
  const fee = action === 'dispute' && { fee: addUp(gross, negated(received)) }
  return { day, tid, line: position, received, explained, ...fee, captured, rate: null }
}

/** To the last minor unit: with the fees that the statement tells, or else by the rate. */
const isPaidBy = (line: FundingLine, { fact, withheld }: Movement, rate: Rate | null): boolean => {
  if (line.currency !== fact.currency) return false
  const received = signedSum(fact)
  if (addUp(received, withheld) === String(line.gross)) return true
  const isByRate = withheld === '0' && rate !== null && line.action === 'capture'
  return isByRate && received === String(line.gross - portionOf(line.gross, rate))
}

/** The largest of a day first: which of too many movements is left over is not chance. */
const byDayAndAmount = ({ fact: one }: Movement, { fact: other }: Movement): number => {
  const more = BigInt(other.amount) - BigInt(one.amount)
  return one.day !== other.day || more === 0n ? byDay(one, other) : more > 0n ? 1 : -1
}

const largest = (sums: readonly Sum[]): Sum =>
  sums.reduce((one, other) => (BigInt(other) > BigInt(one) ? other : one), '0')

/**
 * What all receipts of one name pay: each one capture, refund or dispute of the payment that it
 * names, or a part of the day that it names. It depends on the set of the facts alone, and neither
 * on their order nor on how often each was read.
 */
export const placingsOf = (
  facts: readonly FundingFact[],
  lines: readonly FundingLine[],
  accountOf: (account: string) => FundingAccount | undefined,
): ReadonlyMap<string, Placing> => {
  const placings = new Map<string, Placing>()
  const movements: Movement[] = []
  for (const account of new Set(facts.map((fact) => fact.account))) {
    const own = facts.filter((fact) => fact.account === account)
    const groups = own.some((fact) => nameOf(fact) !== null)
      ? similarMovements(own)
      : own.map((fact) => [fact])
    for (const group of groups as readonly (readonly FundingFact[])[]) {
      const [fact, ...others] = group
      if (!fact) continue
      movements.push({ fact, withheld: largest(group.map((one) => one.withheld ?? '0')) })
      for (const { id } of others) placings.set(id, { place: null, sameAs: fact.id })
    }
  }
  const free = new Set(lines)
  for (const movement of movements.sort(byDayAndAmount)) {
    const { fact, withheld } = movement
    const account = accountOf(fact.account)
    const name = nameOf(fact)
    const line = [...free].find((one) => isPaidBy(one, movement, account?.rate ?? null))
    if (line) free.delete(line)
    const day = lines.length === 0 && account ? dayNamed(name, account) : undefined
    const received = signedSum(fact)
    const place = line
      ? linePlace(name ?? '', line, received)
      : addUp(received, withheld) === '0'
        ? // Charges that are booked apart explain themselves.
          ofDay(fact.day, received, withheld)
        : day !== undefined && account
          ? batchPlace({ ...fact, withheld }, day, account)
          : null
    placings.set(fact.id, place ? { place, sameAs: null } : unplaced)
  }
  return placings
}
