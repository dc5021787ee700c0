import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accounts,
  postingsOfLine,
  postingEvents,
  postingsOfEvent,
  type Account,
  type Posting,
  type PostingEvent,
} from '../domain/accounting/journal.ts'
import type { Recorded } from '../domain/events.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { findBy, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Debits less credits of each account and currency, in minor units. */
const journalBalances = sqliteTable('journal_balances', {
  key: text().primaryKey(),
  account: text().$type<Account>().notNull(),
  merchant: text(),
  currency: text().notNull(),
  balance: text().$type<Sum>().notNull(),
})

export type JournalBalance = typeof journalBalances.$inferSelect

export const keyOfPosting = ({ account, currency, merchant }: Omit<Posting, 'amount'>): string =>
  `${account} ${currency} ${merchant ?? ''}`

type Entry = ReadonlyMap<string | number, Posting>

/** Caches the result for the last fact, because every account needs it. */
export const onceForFact = <Fact extends object, Found>(find: (fact: Fact) => Found) => {
  let latest: { readonly fact: Fact; readonly found: Found } | undefined
  return (fact: Fact): Found => {
    if (latest?.fact !== fact) latest = { fact, found: find(fact) }
    return latest.found
  }
}

/** Each posting of an entry has a different account. */
const foldPostings = <Fact extends object>(postingsOf: (fact: Fact) => readonly Posting[]) => {
  const entry = onceForFact(
    (fact: Fact): Entry =>
      new Map(postingsOf(fact).map((posting) => [keyOfPosting(posting), posting])),
  )
  return {
    keysOf: (fact: Fact) => [...entry(fact).keys()],
    apply: (row: JournalBalance | undefined, fact: Fact, key: string | number) => {
      const posting = entry(fact).get(key)
      if (!posting) return row
      const { account, merchant, currency, amount } = posting
      const balance = addUp(row?.balance ?? 0, amount)
      return { key: String(key), account, merchant, currency, balance }
    },
  }
}

export const journalProjection = projection({
  table: journalBalances,
  handles: [...postingEvents],
  ...foldPostings((event: Recorded<PostingEvent>) =>
    postingsOfEvent(event.metadata.merchant ?? '', event),
  ),
  sums: foldPostings(postingsOfLine),
})

/** `imbalance` must be zero. */
export type TrialBalance = {
  readonly currency: string
  readonly balances: Readonly<Record<string, Sum>>
  readonly imbalance: Sum
}

export const trialBalanceOf = (
  rows: readonly Pick<JournalBalance, 'account' | 'currency' | 'balance'>[],
): readonly TrialBalance[] =>
  [...new Set(rows.map(({ currency }) => currency))].sort().map((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    const sumOf = (account: Account) =>
      addUp(...own.filter((row) => row.account === account).map(({ balance }) => balance))
    const balances = Object.fromEntries(accounts.map((account) => [account, sumOf(account)]))
    return { currency, balances, imbalance: addUp(...own.map(({ balance }) => balance)) }
  })

export const journalQueries = (db: BetterSQLite3Database) => {
  const all = rowsOf(db, journalBalances, { order: [sql`${journalBalances.key}`] })
  const balances = (): readonly JournalBalance[] => all.all()
  const find = findBy(db, journalBalances, journalBalances.key)
  return {
    /** Balance of one account of a merchant, debits less credits. */
    balanceOf: (account: Account, currency: string, merchant: string): Sum =>
      find(keyOfPosting({ account, currency, merchant }))?.balance ?? '0',
    balances,
    trialBalance: () => trialBalanceOf(balances()),
  }
}
