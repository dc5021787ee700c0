import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  bookingDay,
  entryDay,
  movedByEvent,
  movedByLine,
  type JournalEntry,
  type KeptLine,
  type Moved,
  postingEvents,
  type Account,
  serialOf,
  type PostingEvent,
} from '../domain/accounting/journal.ts'
import type { Recorded } from '../domain/events.ts'
import { earliestDay, latestDay } from './payouts.ts'
import { projection } from './projection.ts'
import { clientOf } from './prepared.ts'

/** Entries but for those of lines, which are enough. */
const journalEntries = sqliteTable(
  'journal_entries',
  {
    position: integer().primaryKey(),
    merchant: text().notNull(),
    at: integer().notNull(),
    /** The booking day. */
    day: text().notNull(),
    /** Of its settlement; null for money that came in. */
    serial: integer(),
    moved: text({ mode: 'json' }).$type<Moved>().notNull(),
  },
  (row) => [
    index('journal_entries_by_merchant').on(row.merchant, row.position),
    index('journal_entries_by_day').on(row.day, row.position),
  ],
)

type Row = typeof journalEntries.$inferSelect

export const journalEntryProjection = projection({
  table: journalEntries,
  isAppended: true,
  handles: [...postingEvents],
  keyOf: ({ position }) => position,
  apply: (row, event: Recorded<PostingEvent>): Row | undefined => {
    const { position, metadata } = event
    const merchant = metadata.merchant ?? ''
    const moved = movedByEvent(merchant, event, null)
    const [day, serial] = [bookingDay(event), serialOf(event)]
    return moved.postings.length === 0
      ? row
      : { position, merchant, at: metadata.at, day, serial, moved }
  },
})

/** Selects a line that moves money; the condition follows. */
export const keptLine = `
  SELECT line.position, line.at, action, line.ledger, line.tid, subId, line.merchant,
    line.currency, line.amount, line.additionalAmount, fee, interchange, vat, taxcode,
    coalesce(payments.posTid, permissions.posTid) AS posTid
  FROM transaction_lines line LEFT JOIN payments ON payments.tid = line.tid
    LEFT JOIN permissions ON permissions.rid = line.tid`

/** Which entries to find; a null merchant or account matches all. */
export type EntryFilter = {
  readonly merchant: string | null
  readonly account: Account | null
  /** Exclusive bound of the positions. */
  readonly before: number
  readonly days?: EntryDays | undefined
}

/** Booking days, both included. */
export type EntryDays = {
  readonly since: string
  readonly until: string
  /** Exclusive bounds of the positions of their lines, which are booked when they are recorded. */
  readonly linesAfter: number
  readonly linesBefore: number
}

const everyDay: EntryDays = {
  since: earliestDay,
  until: latestDay,
  linesAfter: 0,
  linesBefore: Number.MAX_SAFE_INTEGER,
}

/** An entry and its source. */
export type FoundEntry = Omit<JournalEntry, 'payee'> & {
  readonly merchant: string
  /** Serial of its settlement; null for a line. */
  readonly serial: number | null
}

type FoundEntries = {
  readonly entries: readonly FoundEntry[]
  /** Position before which to continue; undefined at the end. */
  readonly next: number | undefined
}

const inTurn = 200

/** Maximum number scanned per page, so that a search cannot block others. */
const mostLookedAt = 2_000

/** Accounts moved only by lines. */
const ofLinesOnly: ReadonlySet<string> = new Set(['interchange', 'corrections'])

const ofSettledOnly: ReadonlySet<string> = new Set([
  ...['payouts_payable', 'payout_clearing', 'bank', 'unsettled_fees', 'unsettled_refunds'],
  ...['written_off', 'invoices', 'funding_fees', 'unexplained', 'funding_differences'],
])

type Line = KeptLine & { readonly position: number; readonly at: number }

type Settled = Omit<Row, 'moved'> & { readonly moved: string; readonly settlementId: string | null }

const lineText = (condition: string): string => `${keptLine}
  WHERE ${condition} line.position > @after AND line.position < @before AND fee IS NOT NULL
  ORDER BY line.position DESC LIMIT @limit`

const settledText = (condition: string): string => `
  SELECT entry.*, settlements.settlementId FROM journal_entries entry
    LEFT JOIN settlements ON settlements.key = entry.merchant || '/' || entry.serial
  WHERE ${condition} AND entry.position < @before
  ORDER BY entry.position DESC LIMIT @limit`

const ofLine = (line: Line): FoundEntry => {
  const { position, at, merchant } = line
  const moved = movedByLine(line)
  const { bankDay: _, ...rest } = moved
  return { position, at, merchant, serial: null, ...rest, day: entryDay(moved, at) }
}

const ofSettled = ({ position, at, day, merchant, serial, moved, settlementId }: Settled) => {
  const { bankDay: _, tags, ...rest } = JSON.parse(moved) as Moved
  return {
    position,
    at,
    merchant,
    serial,
    ...rest,
    tags: { ...tags, settlement: settlementId },
    day,
  }
}

/** Newest entries first, a bounded number in turn. */
const someEntries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const allLines = client.prepare(lineText(''))
  const ofLedger = client.prepare(
    lineText('line.merchant = @merchant AND line.ledger = @ledger AND'),
  )
  const ledgersOf = client.prepare('SELECT id FROM ledgers WHERE merchant = @merchant')
  // With a plus SQLite reads in the order of positions, and sorts nothing.
  const ofDays = '+entry.day >= @since AND +entry.day <= @until'
  const settled = {
    all: client.prepare(settledText(ofDays)),
    ofMerchant: client.prepare(settledText(`entry.merchant = @merchant AND ${ofDays}`)),
    // Equality makes SQLite use the index by day.
    ofDay: client.prepare(
      settledText('(@merchant IS NULL OR entry.merchant = @merchant) AND entry.day = @since'),
    ),
  }

  /** Uses the index of each ledger: an index by merchant would slow down writing lines. */
  const linesOf = ({ merchant, before, days = everyDay }: EntryFilter): readonly Line[] => {
    const { linesAfter: after, linesBefore } = days
    const range = { after, before: Math.min(before, linesBefore), limit: inTurn }
    return merchant === null
      ? (allLines.all(range) as readonly Line[])
      : (ledgersOf.all({ merchant }) as readonly { readonly id: string }[]).flatMap(
          ({ id: ledger }) => ofLedger.all({ ...range, merchant, ledger }) as readonly Line[],
        )
  }

  const settledOf = ({ merchant, before, days = everyDay }: EntryFilter) => {
    const { since, until } = days
    const ofAll = merchant === null ? settled.all : settled.ofMerchant
    const query = since === until ? settled.ofDay : ofAll
    return query.all({ merchant, before, since, until, limit: inTurn }) as readonly Settled[]
  }

  const someBefore = (filter: EntryFilter): readonly FoundEntry[] => {
    const account = filter.account ?? ''
    const found = [
      ...(ofSettledOnly.has(account) ? [] : linesOf(filter).map(ofLine)),
      ...(ofLinesOnly.has(account) ? [] : settledOf(filter).map(ofSettled)),
    ]
    return found.sort((one, other) => other.position - one.position).slice(0, inTurn)
  }
  return someBefore
}

export const journalEntryQueries = (db: BetterSQLite3Database) => {
  const someBefore = someEntries(db)
  return {
    /** The newest matching entries; fewer if the scan limit is reached. */
    find: (filter: EntryFilter, limit: number): FoundEntries => {
      const { account, days = everyDay } = filter
      const isOf = ({ day, postings }: FoundEntry): boolean =>
        days.since <= day &&
        day <= days.until &&
        (account === null || postings.some((one) => one.account === account))
      const entries: FoundEntry[] = []
      let { before } = filter
      for (let lookedAt = 0; lookedAt < mostLookedAt; lookedAt += inTurn) {
        const some = someBefore({ ...filter, before })
        for (const one of some) {
          if (isOf(one)) entries.push(one)
          if (entries.length === limit) return { entries, next: one.position }
        }
        if (some.length < inTurn) return { entries, next: undefined }
        before = some.at(-1)?.position ?? before
      }
      return { entries, next: before }
    },
  }
}
