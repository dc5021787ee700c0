import { and, asc, desc, eq, getTableColumns, gt, lte, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Completion } from '../domain/accounting/completion.ts'
import { ledgers, ledgerStream } from './ledgers.ts'
import { columnsOf, countOf, findBy, param, prepared, dueBy, nextBy } from './prepared.ts'
import { projection } from './projection.ts'
import { type Closing, type ScheduledClosing, nextClosing } from '../domain/calendar.ts'
import { idIn, merchantAndIdIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { utc } from '../domain/time-zone.ts'

/** A ledger whose reports close automatically. */
export type Scheduled = {
  readonly id: string
  readonly closes: ScheduledClosing
  /** When its report was opened, or when the schedule was set, if later. */
  readonly since: Instant
}

/** When reports of each merchant close automatically. */
export const reportSchedules = sqliteTable(
  'report_schedules',
  {
    merchant: text().primaryKey(),
    timeZone: text().notNull(),
    startOfDay: text().notNull(),
    ledgers: text({ mode: 'json' }).$type<readonly Scheduled[]>().notNull(),
    /** When the first of them closes. */
    dueAt: integer(),
  },
  (row) => [index('report_schedules_by_due').on(row.dueAt)],
)

export type Row = typeof reportSchedules.$inferSelect

export const closesAt = (
  place: Pick<Row, 'timeZone' | 'startOfDay'>,
  { closes, since }: Scheduled,
) => nextClosing(closes, place, since)

export const withDue = (row: Row): Row => {
  const times = row.ledgers.map((one) => closesAt(row, one))
  return { ...row, dueAt: times.length > 0 ? Math.min(...times) : null }
}

export const closing = (row: Row, id: string, closes: Closing, since: Instant): Row => {
  const others = row.ledgers.filter((one) => one.id !== id)
  const ledgers = closes === 'by_hand' ? others : [...others, { id, closes, since }]
  return withDue({ ...row, ledgers })
}

export const reportScheduleProjection = projection({
  table: reportSchedules,
  handles: [
    'MerchantRegistered',
    'MerchantChanged',
    'SettlementAccountRegistered',
    'SettlementAccountChanged',
    'LedgerRegistered',
    'LedgerScheduled',
    'ReportClosed',
  ],
  keyOf: ({ metadata }) => metadata.merchant ?? '',
  apply: (row, event, key) => {
    const nothingYet = { startOfDay: '00:00', ledgers: [], dueAt: null }
    const known = row ?? { merchant: String(key), timeZone: utc, ...nothingYet }
    const { at } = event.metadata
    switch (event.type) {
      case 'MerchantRegistered':
      case 'MerchantChanged':
        return withDue({ ...known, timeZone: event.data.timeZone })
      case 'SettlementAccountRegistered':
      case 'SettlementAccountChanged':
        return withDue({ ...known, startOfDay: event.data.startOfDay })
      case 'LedgerRegistered':
        return closing(known, event.data.id, event.data.closes ?? 'by_hand', at)
    }
    const [, id] = merchantAndIdIn(idIn(event.stream))
    if (event.type === 'LedgerScheduled') return closing(known, id, event.data.closes, at)
    const scheduled = known.ledgers.find((one) => one.id === id)
    return scheduled ? closing(known, id, scheduled.closes, at) : row
  },
})

export type DueReport = {
  readonly merchant: string
  readonly ledger: string
  readonly closes: ScheduledClosing
  readonly dueAt: Instant
}

export const reportScheduleQueries = (db: BetterSQLite3Database) => {
  const due = dueBy(db, reportSchedules, reportSchedules.dueAt)
  return {
    /** For up to `limit` merchants, longest due first. */
    due: (now: Instant, limit: number): readonly DueReport[] =>
      due(now, limit)
        .flatMap((row) =>
          row.ledgers.map((one) => ({
            merchant: row.merchant,
            ledger: one.id,
            closes: one.closes,
            dueAt: closesAt(row, one),
          })),
        )
        .filter(({ dueAt }) => dueAt <= now),
    nextDue: nextBy(db, reportSchedules, reportSchedules.dueAt),
  }
}

/** Closed reports; a report without a row is the open one. */
const reports = sqliteTable(
  'reports',
  {
    key: text().primaryKey(),
    ledgerStream: text().notNull(),
    number: integer().notNull(),
    openedAt: integer().notNull(),
    closedAt: integer().notNull(),
    /** Its lines lie before this position and after the previous report's. */
    closedPosition: integer().notNull(),
    callbackUri: text(),
    /** Whether its logs are still to be written. */
    closing: integer({ mode: 'boolean' }).notNull(),
    completion: text({ mode: 'json' }).$type<Completion>(),
  },
  (row) => [
    index('reports_by_position').on(row.ledgerStream, row.closedPosition),
    index('reports_closing').on(row.closing),
  ],
)

export type ReportRow = typeof reports.$inferSelect

/** Unique across ledgers. */
export const reportKey = (ledgerStream: string, report: number): string =>
  `${ledgerStream}#${report}`

export const reportProjection = projection({
  table: reports,
  handles: ['ReportClosed', 'ReportCompleted'],
  keyOf: ({ stream, data }) => reportKey(stream, data.report),
  apply: (row, event, key) => {
    const { stream, position, metadata } = event
    if (event.type === 'ReportClosed') {
      const { report: number, openedAt, callbackUri } = event.data
      // In old logs, if the clock was set back, it may be earlier.
      const closedAt = Math.max(metadata.at, openedAt)
      const closed = { closedAt, closedPosition: position }
      const about = { key: String(key), ledgerStream: stream, number, openedAt, callbackUri }
      return { ...about, ...closed, closing: true, completion: null }
    }
    const { report: _, ...completion } = event.data
    return row && { ...row, closing: false, completion }
  },
})

/**
 * The cost grows with the number of ledgers with waiting reports, not with the number of reports.
 */
const nextClosingIn = (db: BetterSQLite3Database) => {
  const nextReport = sql`${ledgers.stream} || '#' || (${ledgers.completed} + 1)`
  const nextOf = (ofMerchants: SQL) =>
    prepared(
      db,
      reports,
      db
        .select(getTableColumns(reports))
        .from(ledgers)
        .innerJoin(reports, eq(reports.key, nextReport))
        .where(and(eq(ledgers.closing, true), ofMerchants))
        .orderBy(asc(ledgers.merchant), asc(reports.closedPosition))
        .limit(param('limit')),
    )
  const later = nextOf(gt(ledgers.merchant, param('after')))
  const others = nextOf(lte(ledgers.merchant, param('after')))
  return (after: string, limit: number): readonly ReportRow[] => {
    const found = later.all({ after, limit })
    return [...found, ...others.all({ after, limit: limit - found.length })]
  }
}

export const reportQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, reports, reports.key)
  const { number, closedPosition } = reports
  const isOfLedger = eq(reports.ledgerStream, param('stream'))
  const closedAfter = columnsOf(db, reports, {
    columns: { number },
    where: [isOfLedger, gt(closedPosition, param('position'))],
    order: [asc(closedPosition)],
    limit: 1,
  })
  const last = columnsOf(db, reports, {
    columns: { number, closedPosition },
    where: [isOfLedger],
    order: [desc(closedPosition)],
    limit: 1,
  })
  const firstClosing = columnsOf(db, reports, {
    columns: { closedAt: reports.closedAt },
    where: [eq(reports.closing, true)],
    order: [asc(reports.closedAt)],
    limit: 1,
  })
  return {
    find: (merchant: string, ledger: string, number: number) =>
      find(reportKey(ledgerStream(merchant, ledger), number)),
    findByKey: find,
    /** Reports that wait for their logs. */
    closingCount: countOf(db, reports, eq(reports.closing, true)),
    /** When the first of them was closed. */
    closingSince: (): Instant | undefined => firstClosing.get()?.closedAt,
    /** The first closing report of each ledger, starting with merchants after this id. */
    nextClosing: nextClosingIn(db),
    /** The number of a ledger's open report and the position it starts after. */
    open: (stream: string): { readonly number: number; readonly after: number } => {
      const before = last.get({ stream })
      return { number: (before?.number ?? 0) + 1, after: before?.closedPosition ?? 0 }
    },
    /** The first report closed after a position. */
    closedAfter: (stream: string, position: number): number | undefined =>
      closedAfter.get({ stream, position })?.number,
  }
}
