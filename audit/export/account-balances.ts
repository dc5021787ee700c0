import { Unbalanced } from '../../domain/accounting/journal.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { keyOfPosting, type JournalBalance } from '../../projections/journal.ts'
import type { JournalEntry } from './journal-entries.ts'

/** An account of the trial balance: debits are positive, credits negative. */
export type AccountBalance = Omit<JournalBalance, 'key' | 'balance'> & {
  readonly opening: Sum
  /** Totals of the period; neither is negative. */
  readonly debit: Sum
  readonly credit: Sum
  readonly closing: Sum
}

/** The balances before and after a period, and the movements in between. */
export const accountBalances = (
  opening: readonly JournalBalance[],
  closing: readonly JournalBalance[],
) => {
  const openings = new Map(opening.map(({ key, balance }) => [key, balance]))
  const moved = new Map<string, { debit: bigint; credit: bigint }>()

  return {
    add: ({ postings }: JournalEntry): void => {
      for (const posting of postings) {
        const key = keyOfPosting(posting)
        const sums = moved.get(key) ?? { debit: 0n, credit: 0n }
        const amount = BigInt(posting.amount)
        if (amount > 0n) sums.debit += amount
        else sums.credit -= amount
        moved.set(key, sums)
      }
    },
    /** @throws Unbalanced unless opening balances plus entries equal closing balances */
    all: (): readonly AccountBalance[] => {
      const held = new Set(closing.map(({ key }) => key))
      for (const key of moved.keys())
        if (!held.has(key)) throw new Unbalanced(`the entries move ${key}, the journal has it not`)
      return closing.map(({ key, balance, ...account }) => {
        const { debit, credit } = moved.get(key) ?? { debit: 0n, credit: 0n }
        const before = openings.get(key) ?? '0'
        const reached = addUp(before, String(debit), negated(String(credit)))
        if (reached !== balance)
          throw new Unbalanced(`the entries leave ${key} at ${reached}, the journal at ${balance}`)
        const sums = { debit: String(debit), credit: String(credit) }
        return { ...account, opening: before, ...sums, closing: balance }
      })
    },
  }
}
