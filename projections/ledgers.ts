import { desc, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Closing } from '../domain/calendar.ts'
import { defaultLedger, ledgerEvents } from '../domain/accounting/ledger.ts'
import { addLine, type Counters, countLine, type Totals } from '../domain/accounting/totals.ts'
import { columnsOf, findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

type ClosingSums = {
  readonly report: number
  readonly counters: Counters
  readonly totals: Totals
}

/** Each ledger, with the sums of its open report. */
export const ledgers = sqliteTable(
  'ledgers',
  {
    stream: text().primaryKey(),
    /** Position of the registration; orders lists and serves as cursor. */
    position: integer().notNull(),
    merchant: text().notNull(),
    id: text().notNull(),
    currency: text().notNull(),
    description: text(),
    closes: text().$type<Closing>().notNull(),
    enabled: integer({ mode: 'boolean' }).notNull(),
    /** The open report. */
    open: integer().notNull(),
    openedAt: integer().notNull(),
    /** The last report whose logs are written; 0 for none. */
    completed: integer().notNull(),
    /** Whether a closed report waits for its logs. */
    closing: integer({ mode: 'boolean' }).notNull(),
    /** Sums of closed reports that wait for their logs; reports without lines are left out. */
    closingSums: text({ mode: 'json' }).$type<readonly ClosingSums[]>().notNull(),
    counters: text({ mode: 'json' }).$type<Counters>().notNull(),
    totals: text({ mode: 'json' }).$type<Totals>().notNull(),
  },
  (row) => [
    index('ledgers_by_merchant').on(row.merchant, row.position),
    index('ledgers_closing').on(row.closing, row.merchant),
  ],
)

export type LedgerRow = typeof ledgers.$inferSelect

/** Ids of merchants and ledgers need no encoding. */
export const ledgerStream = (merchant: string, ledger: string): string =>
  `ledger-${merchant}/${ledger}`

const byHand = 'by_hand' as const
const implied = { description: null, closes: byHand }

const nothingYet = { counters: {}, totals: [] }

export const ledgerProjection = projection({
  table: ledgers,
  handles: ['MerchantRegistered', ...(Object.keys(ledgerEvents) as (keyof typeof ledgerEvents)[])],
  keyOf: (event) =>
    event.type === 'MerchantRegistered' ? ledgerStream(event.data.id, defaultLedger) : event.stream,
  apply: (row, event, key) => {
    const { position, metadata } = event
    if (event.type === 'MerchantRegistered' || event.type === 'LedgerRegistered') {
      // A merchant registered again keeps its ledger.
      if (row) return row
      const { currency } = event.data
      const about =
        event.type === 'LedgerRegistered'
          ? { ...event.data, closes: event.data.closes ?? byHand }
          : { merchant: event.data.id, id: defaultLedger, currency, ...implied }
      const reports = {
        open: 1,
        openedAt: metadata.at,
        completed: 0,
        closing: false,
        closingSums: [],
      }
      return { stream: String(key), position, ...about, enabled: true, ...reports, ...nothingYet }
    }
    if (!row) return undefined
    switch (event.type) {
      case 'LedgerChanged':
        return { ...row, description: event.data.description }
      case 'LedgerScheduled':
        return { ...row, closes: event.data.closes }
      case 'LedgerDisabled':
        return { ...row, enabled: false }
      case 'LedgerEnabled':
        return { ...row, enabled: true }
      case 'ReportClosed': {
        const { report } = event.data
        const opened = { open: report + 1, openedAt: metadata.at }
        const { counters, totals } = row
        const hasLines = Object.keys(counters).length > 0
        const closingSums = hasLines
          ? [...row.closingSums, { report, counters, totals }]
          : row.closingSums
        return { ...row, ...opened, closing: true, closingSums, ...nothingYet }
      }
      case 'ReportCompleted': {
        const { report: completed } = event.data
        const closingSums = row.closingSums.filter(({ report }) => report > completed)
        return { ...row, completed, closing: completed + 1 < row.open, closingSums }
      }
    }
  },
  sums: {
    keysOf: ({ merchant, ledger }) => [ledgerStream(merchant, ledger)],
    apply: (row, sum) =>
      row && {
        ...row,
        counters: countLine(row.counters, sum),
        totals: addLine(row.totals, sum),
      },
  },
})

export const ledgerQueries = (db: BetterSQLite3Database) => {
  const { id, merchant, position } = ledgers
  const find = findBy(db, ledgers, ledgers.stream)
  const page = rowsOf(db, ledgers, {
    where: [same(merchant), lt(position, param('before'))],
    order: [desc(position)],
    limit: param('limit'),
  })
  const ids = columnsOf(db, ledgers, {
    columns: { id },
    where: [same(merchant)],
    order: [position],
  })
  return {
    find: (merchant: string, id: string) => find(ledgerStream(merchant, id)),
    idsOf: (merchant: string): readonly string[] => ids.all({ merchant }).map(({ id }) => id),
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }),
  }
}
