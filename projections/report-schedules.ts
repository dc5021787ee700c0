import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Closing, ScheduledClosing } from '../domain/calendar.ts'
import { nextClosing } from '../domain/calendar.ts'
import { idIn, merchantAndIdIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { utc } from '../domain/time-zone.ts'
import { dueBy, nextBy } from './due.ts'
import { projection } from './projection.ts'

/** A ledger whose reports close automatically. */
type Scheduled = {
  readonly id: string
  readonly closes: ScheduledClosing
  /** When its report was opened, or when the schedule was set, if later. */
  readonly since: Instant
}

/** When reports of each merchant close automatically. */
const reportSchedules = sqliteTable(
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

type Row = typeof reportSchedules.$inferSelect

const closesAt = (place: Pick<Row, 'timeZone' | 'startOfDay'>, { closes, since }: Scheduled) =>
  nextClosing(closes, place, since)

const withDue = (row: Row): Row => {
  const times = row.ledgers.map((one) => closesAt(row, one))
  return { ...row, dueAt: times.length > 0 ? Math.min(...times) : null }
}

const closing = (row: Row, id: string, closes: Closing, since: Instant): Row => {
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

type DueReport = {
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
            ...{ merchant: row.merchant, ledger: one.id, closes: one.closes },
            dueAt: closesAt(row, one),
          })),
        )
        .filter(({ dueAt }) => dueAt <= now),
    nextDue: nextBy(db, reportSchedules, reportSchedules.dueAt),
  }
}
