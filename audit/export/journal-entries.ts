import { merchants } from '../../domain/aggregates.ts'
import {
  isPosting,
  serialOf,
  entryDay,
  movedByEvent,
  movedByLine,
  type JournalEntry as Entry,
  type KeptLine,
  Unbalanced,
  type Account,
  type Posting,
} from '../../domain/accounting/journal.ts'
import type { Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { keptLine } from '../../projections/journal-entries.ts'
import { merchantRegister } from '../../projections/registers.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { keyOfPosting, type JournalBalance } from '../../projections/journal.ts'

/** An account's names in other accounting systems. */
export type Named = {
  /** First part of its name in a plain-text ledger, which determines its type. */
  readonly kind: 'assets' | 'liabilities' | 'income' | 'expenses'
  readonly description: string
  /** Number, and grouping code in Skatteetaten's list for SAF-T ("naeringsspesifikasjon"). */
  readonly number: string
  readonly category: string
  readonly code: string
}

export const current = { kind: 'assets', category: 'balanseverdiForOmloepsmiddel' } as const

export const cost = { kind: 'expenses', category: 'annenDriftskostnad' } as const

export const debt = { kind: 'liabilities', category: 'kortsiktigGjeld' } as const

export const chart: Readonly<Record<Account, Named>> = {
  payer_clearing: { ...current, number: '1570', code: '1570', description: 'Payer clearing' },
  unsettled_fees: { ...current, number: '1571', code: '1570', description: 'Unsettled fees' },
  unsettled_refunds: { ...current, number: '1572', code: '1570', description: 'Unsettled refunds' },
  invoices: { ...current, number: '1500', code: '1500', description: 'Invoices to merchant' },
  bank: { ...current, number: '1920', code: '1920', description: 'Bank' },
  vat: { ...debt, number: '2740', code: '2740', description: 'VAT on fees' },
  merchant_payable: { ...debt, number: '2991', code: '2990', description: 'Payable to merchant' },
  payouts_payable: { ...debt, number: '2992', code: '2990', description: 'Payouts to merchant' },
  payout_clearing: { ...debt, number: '2994', code: '2990', description: 'Payouts under way' },
  interchange: { ...debt, number: '2993', code: '2990', description: 'Interchange' },
  corrections: { ...cost, number: '7700', code: '7700', description: 'Corrections' },
  unexplained: { ...debt, number: '2995', code: '2990', description: 'Unexplained money' },
  funding_fees: {
    ...cost,
    number: '7770',
    code: '7700',
    description: 'Fees of the funding source',
  },
  funding_differences: { ...cost, number: '7790', code: '7700', description: 'Differences closed' },
  written_off: { ...cost, number: '7830', code: '7830', description: 'Debts written off' },
  fee_income: {
    kind: 'income',
    number: '3000',
    category: 'salgsinntekt',
    code: '3000',
    description: 'Fees',
  },
}

export type Owned = Pick<Posting, 'account' | 'merchant'>

/** `liabilities:merchant_payable:shop` */
export const ledgerName = ({ account, merchant }: Owned): string =>
  [chart[account].kind, account, ...(merchant === null ? [] : [merchant])].join(':')

/** `2991:shop`, at most 70 characters. */
export const saftNumber = ({ account, merchant }: Owned): string =>
  [chart[account].number, ...(merchant === null ? [] : [merchant])].join(':')

export type JournalEntry = Entry & { readonly actor: string }

/**
 * Turns events into journal entries, using read models of a later moment. Entries are dated no
 * earlier than `firstDay`.
 */
export const journalEntries = ({ sqlite, db }: ReadModelFile, firstDay = '') => {
  const lineAt = sqlite.prepare<[number], KeptLine>(
    `${keptLine} WHERE line.position = ? AND fee IS NOT NULL`,
  )
  const settlement = sqlite
    .prepare<[string, number], string>(
      'SELECT settlementId FROM settlements WHERE merchant = ? AND serial = ?',
    )
    .pluck()
  const { find } = merchantRegister.queries(db)
  const names = new Map<string, string>()
  const payeeOf = (id: string | null): string => {
    if (id === null) return 'Funding source'
    const known = names.get(id) ?? find(streamOf(merchants, id))?.data.businessName ?? id
    names.set(id, known)
    return known
  }
  const movedBy = (event: Recorded) => {
    const line = lineAt.get(event.position)
    if (line) return movedByLine(line)
    if (!isPosting(event)) return undefined
    const merchant = event.metadata.merchant ?? ''
    const serial = serialOf(event)
    const id = serial === null ? null : (settlement.get(merchant, serial) ?? null)
    return movedByEvent(merchant, event, id)
  }

  return (event: Recorded, logTime: Instant): JournalEntry | undefined => {
    const moved = movedBy(event)
    if (!moved || moved.postings.length === 0) return undefined
    const { position, metadata } = event
    const { at, actor } = metadata
    const { bankDay: _, ...rest } = moved
    const about = { position, at, actor, payee: payeeOf(metadata.merchant) }
    return { ...about, ...rest, day: entryDay(moved, logTime, firstDay) }
  }
}

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
