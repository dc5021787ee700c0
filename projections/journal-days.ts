import { eq, gte, lt, lte } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bookingDay } from '../domain/accounting/journal-entry.ts'
import type { LineSum } from '../domain/accounting/line-sums.ts'
import {
  postingEvents,
  postingsOfEvent,
  postingsOfLine,
  type Account,
  type Posting,
  type PostingEvent,
} from '../domain/accounting/journal.ts'
import type { Recorded } from '../domain/events.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { dayOf } from '../domain/time.ts'
import { onceForFact, trialBalanceOf, type TrialBalance } from './journal.ts'
import { given, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Movements per account for each booking day and month, over all merchants. */
const journalDays = sqliteTable(
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

type Row = typeof journalDays.$inferSelect

const monthOf = (day: string): string => day.slice(0, 7)

type Fact = LineSum | Recorded<PostingEvent>

const isEvent = (fact: Fact): fact is Recorded<PostingEvent> => 'metadata' in fact

const postingsOf = onceForFact((fact: Fact): readonly Posting[] =>
  isEvent(fact) ? postingsOfEvent(fact.metadata.merchant ?? '', fact) : postingsOfLine(fact),
)

const keysOf = (fact: Fact): readonly string[] => {
  const day = isEvent(fact) ? bookingDay(fact) : dayOf(fact.at)
  const accounts = postingsOf(fact).map(({ account, currency }) => `${account} ${currency}`)
  return [...new Set(accounts)].flatMap((one) => [`${day} ${one}`, `${monthOf(day)} ${one}`])
}

const apply = (row: Row | undefined, fact: Fact, given: string | number): Row => {
  const key = String(given)
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
  const before = lt(span, given('month'))
  const earlierMonths = rowsOf(db, journalDays, { where: [eq(isMonth, true), before] })
  const daysUntil = rowsOf(db, journalDays, {
    where: [eq(isMonth, false), gte(span, given('month')), lte(span, given('day'))],
  })
  return {
    /** At the end of a booking day. Reads few rows, however long the log is. */
    trialBalanceAt: (day: string): readonly TrialBalance[] => {
      const month = monthOf(day)
      return trialBalanceOf([...earlierMonths.all({ month }), ...daysUntil.all({ month, day })])
    },
  }
}
