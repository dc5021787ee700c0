import { addUp, negated, type Sum } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import type { SettlementEvent } from './settlement-events.ts'

/**
 * A merchant's debt in one currency, zero or below: for fees, and for refunds that captures did not
 * cover.
 */
export type Debt = { readonly fees: Sum; readonly refunds: Sum }

export const noDebt: Debt = { fees: '0', refunds: '0' }

export type Debts = {
  /** By currency: what the next settlement takes first. */
  readonly owed: Readonly<Record<string, Debt>>
  /** Ids of corrections by which debts were written off. */
  readonly writtenOff: readonly string[]
}

export const noDebts: Debts = { owed: {}, writtenOff: [] }

export type DebtCommand = {
  readonly type: 'WriteOffDebt'
  readonly correction: string
  readonly currency: string
  /** Above zero. */
  readonly amount: Sum
  readonly reason: string
}

type DebtEvent = Extract<SettlementEvent, { type: 'DebtWrittenOff' }>

export const isOwed = (sum: Sum): boolean => sum.startsWith('-')

/** Fees first, then refunds. `serial`: the last settlement. */
export const decideDebt = (
  { correction, currency, amount, reason }: DebtCommand,
  { owed, writtenOff }: Debts,
  serial: number,
): readonly DebtEvent[] => {
  if (writtenOff.includes(correction)) return []
  const debt = owed[currency] ?? noDebt
  if (!isOwed(addUp(debt.fees, debt.refunds, amount, -1))) return refuse('write_off_exceeds_debt')
  const beyondFees = addUp(debt.fees, amount)
  const refunds = isOwed(beyondFees) ? '0' : beyondFees
  const parts = { fees: addUp(amount, negated(refunds)), refunds }
  return [{ type: 'DebtWrittenOff', data: { serial, currency, ...parts, reason, correction } }]
}

export const evolveDebts = (debts: Debts, { data }: DebtEvent): Debts => {
  const { currency, fees, refunds, correction } = data
  const before = debts.owed[currency] ?? noDebt
  const after = { fees: addUp(before.fees, fees), refunds: addUp(before.refunds, refunds) }
  const owed = { ...debts.owed, [currency]: after }
  return { ...debts, owed, writtenOff: [...debts.writtenOff, correction] }
}
