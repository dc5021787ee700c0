import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Completion } from '../domain/accounting/completion.ts'
import { findBy } from './prepared.ts'
import { projection } from './projection.ts'
import { reportKey } from './reports.ts'

/** The report or settlement from which a log file can be written again, byte for byte. */
type LogSource =
  | { readonly type: 'report'; readonly key: string }
  | { readonly type: 'settlement'; readonly merchant: string; readonly serial: number }

const logFiles = sqliteTable('log_files', {
  sha256: text().primaryKey(),
  bytes: integer().notNull(),
  source: text({ mode: 'json' }).$type<LogSource>().notNull(),
})

export type LogFileRow = typeof logFiles.$inferSelect

const filesOf = ({
  transactionLogs,
  scopeLogs,
}: Pick<Completion, 'transactionLogs' | 'scopeLogs'>) => [...transactionLogs, ...scopeLogs]

export const logFileProjection = projection({
  table: logFiles,
  handles: ['ReportCompleted', 'SettlementMade'],
  keysOf: ({ data }) => filesOf(data).map(({ sha256 }) => sha256),
  apply: (_, event, key): LogFileRow => {
    const sha256 = String(key)
    const { stream, data, metadata } = event
    const bytes = filesOf(data).find((file) => file.sha256 === sha256)?.bytes ?? 0
    if ('report' in data)
      return { sha256, bytes, source: { type: 'report', key: reportKey(stream, data.report) } }
    const merchant = metadata.merchant ?? ''
    return { sha256, bytes, source: { type: 'settlement', merchant, serial: data.serial } }
  },
})

export const logFileQueries = (db: BetterSQLite3Database) => ({
  find: findBy(db, logFiles, logFiles.sha256),
})
