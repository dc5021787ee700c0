import { sql, eq, gte, lt, lte } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text, index, integer } from 'drizzle-orm/sqlite-core'
import {
  accounts,
  postingsOfLine,
  postingEvents,
  postingsOfEvent,
  type Account,
  type Posting,
  type PostingEvent,
  bookingDay,
} from '../domain/accounting/journal.ts'
import type { Recorded } from '../domain/events.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { rowsOf, param, same, type CurrencySum } from './prepared.ts'
import { projection } from './projection.ts'
import type { LineSum } from '../domain/accounting/line-sums.ts'
import { dayOf } from '../domain/time.ts'

/** Debits less credits of each account and currency, in minor units. */
const journalBalances = sqliteTable(
  'journal_balances',
  {
    key: text().primaryKey(),
    account: text().$type<Account>().notNull(),
    merchant: text(),
    currency: text().notNull(),
    balance: text().$type<Sum>().notNull(),
  },
  (row) => [index('journal_balances_by_merchant').on(row.merchant, row.account)],
)

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

/** By currency. */
export const totalsOf = (sums: readonly CurrencySum[]): readonly CurrencySum[] =>
  [...new Set(sums.map(({ currency }) => currency))].sort().map((currency) => ({
    currency,
    sum: addUp(...sums.filter((one) => one.currency === currency).map(({ sum }) => sum)),
  }))

export const journalQueries = (db: BetterSQLite3Database) => {
  const all = rowsOf(db, journalBalances, { order: [sql`${journalBalances.key}`] })
  const balances = (): readonly JournalBalance[] => all.all()
  const theirs = rowsOf(db, journalBalances, {
    where: [
      same(journalBalances.merchant),
      sql`${journalBalances.account} in (select value from json_each(${param('accounts')}))`,
    ],
  })
  return {
    /** What accounts of a merchant hold together, debits less credits, where it is not zero. */
    balancesOf: (merchant: string, of: readonly Account[]): readonly CurrencySum[] => {
      const rows = theirs.all({ merchant, accounts: JSON.stringify(of) })
      const sums = rows.map(({ currency, balance }) => ({ currency, sum: balance }))
      return totalsOf(sums).filter(({ sum }) => sum !== '0')
    },
    balances,
    trialBalance: () => trialBalanceOf(balances()),
  }
}

/** Movements per account for each booking day and month, over all merchants. */
export const journalDays = sqliteTable(
  'journal_days',
  {
    key: text().primaryKey(),
    isMonth: integer({ mode: 'boolean' }).notNull(),
    /** `YYYY-MM-DD` or `YYYY-MM`. */
    span: text().notNull(),
    account: text().$type<Account>().notNull(),
    currency: text().notNull(),
    /** Debits less credits. */
    balance: text().$type<Sum>().notNull(),
  },
  (row) => [index('journal_days_by_span').on(row.isMonth, row.span)],
)

export type Row = typeof journalDays.$inferSelect

export const monthOf = (day: string): string => day.slice(0, 7)

export type Fact = LineSum | Recorded<PostingEvent>

export const isEvent = (fact: Fact): fact is Recorded<PostingEvent> => 'metadata' in fact

export const postingsOf = onceForFact((fact: Fact): readonly Posting[] =>
  isEvent(fact) ? postingsOfEvent(fact.metadata.merchant ?? '', fact) : postingsOfLine(fact),
)

export const keysOf = (fact: Fact): readonly string[] => {
  const day = isEvent(fact) ? bookingDay(fact) : dayOf(fact.at)
  const accounts = postingsOf(fact).map(({ account, currency }) => `${account} ${currency}`)
  return [...new Set(accounts)].flatMap((one) => [`${day} ${one}`, `${monthOf(day)} ${one}`])
}

export const apply = (row: Row | undefined, fact: Fact, rowKey: string | number): Row => {
  const key = String(rowKey)
  const [span = '', account = '', currency = ''] = key.split(' ')
  const moved = postingsOf(fact)
    .filter((one) => one.account === account && one.currency === currency)
    .map(({ amount }) => amount)
  const about = { key, span, isMonth: span.length === 7, account: account as Account, currency }
  return { ...about, balance: addUp(row?.balance ?? '0', ...moved) }
}

export const journalDayProjection = projection({
  table: journalDays,
  handles: [...postingEvents],
  keysOf: (event: Recorded<PostingEvent>) => keysOf(event),
  apply: (row, event: Recorded<PostingEvent>, key) => apply(row, event, key),
  sums: { keysOf, apply },
})

export const journalDayQueries = (db: BetterSQLite3Database) => {
  const { isMonth, span } = journalDays
  const before = lt(span, param('month'))
  const earlierMonths = rowsOf(db, journalDays, { where: [eq(isMonth, true), before] })
  const daysUntil = rowsOf(db, journalDays, {
    where: [eq(isMonth, false), gte(span, param('month')), lte(span, param('day'))],
  })
  return {
    /** At the end of a booking day. Reads few rows, however long the log is. */
    trialBalanceAt: (day: string): readonly TrialBalance[] => {
      const month = monthOf(day)
      return trialBalanceOf([...earlierMonths.all({ month }), ...daysUntil.all({ month, day })])
    },
  }
}
