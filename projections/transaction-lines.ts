import { asc, desc, gt, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  movesMoney as isMoved,
  netOf,
  type LineAction,
  type TransactionLine,
} from '../domain/accounting/transaction-line.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { logPageQuery } from './log-lines.ts'
import { columnsOf, param, rowsOf, same, findBy } from './prepared.ts'
import { projection } from './projection.ts'
import type { Completion } from '../domain/accounting/completion.ts'
import { reportKey } from './reports.ts'

/** The report or settlement from which a log file can be written again, byte for byte. */
export type LogSource =
  | { readonly type: 'report'; readonly key: string }
  | { readonly type: 'settlement'; readonly merchant: string; readonly serial: number }

export const logFiles = sqliteTable('log_files', {
  sha256: text().primaryKey(),
  bytes: integer().notNull(),
  source: text({ mode: 'json' }).$type<LogSource>().notNull(),
})

export type LogFileRow = typeof logFiles.$inferSelect

export const filesOf = ({
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

/** Conditions of indexes, contained in the queries that use them. */
const movesMoney = sql`balance is not null`
const isNoCapture = sql`balance is not null and action <> 'capture'`

/** Each transaction line is stored once; a report or settlement is a range of positions. */
const transactionLines = sqliteTable(
  'transaction_lines',
  {
    position: integer().primaryKey(),
    merchant: text().notNull(),
    ledger: text().notNull(),
    tid: text().notNull(),
    subId: text(),
    at: integer().notNull(),
    action: text().$type<LineAction>().notNull(),
    credit: integer({ mode: 'boolean' }).notNull(),
    customer: text(),
    currency: text().notNull(),
    amount: integer().notNull(),
    additionalAmount: integer().notNull(),
    /** This and the following are null if no money moves. */
    fee: integer(),
    interchange: integer(),
    vat: integer(),
    taxcode: text(),
    /** Reason for a refund. */
    text: text(),
    /** This and the following are null if no money moves; here also without a point of sale. */
    posId: text(),
    posTid: text(),
    /** Of the ledger in the currency, after this line, by net. */
    balance: text().$type<Sum>(),
    /** The latest time of a line so far, in the ledger and currency. */
    latest: integer(),
  },
  ({ merchant, ledger, currency, position, action, posId, subId, tid }) => [
    index('transaction_lines_by_ledger').on(merchant, ledger, position),
    // For `transactions.ts`; all without the many lines that move no money.
    index('transaction_lines_by_balance')
      .on(merchant, ledger, currency, position)
      .where(movesMoney),
    index('transaction_lines_by_pos')
      .on(merchant, posId, position)
      .where(sql`posId is not null`),
    index('transaction_lines_by_sub_id')
      .on(merchant, subId, position)
      .where(sql`subId is not null`),
    index('transaction_lines_by_tid').on(tid, position).where(movesMoney),
    index('transaction_lines_by_action').on(merchant, action, position).where(isNoCapture),
  ],
)

/** Whose balance a line moves, with the order of its lines in time. */
const ledgerBalances = sqliteTable(
  'ledger_balances',
  {
    /** `<merchant>/<ledger>/<currency>` */
    key: text().primaryKey(),
    merchant: text().notNull(),
    ledger: text().notNull(),
    currency: text().notNull(),
    balance: text().$type<Sum>().notNull(),
    latest: integer().notNull(),
    /** How far the time of a line has been before that of an earlier one at most, in ms. */
    lateness: integer().notNull(),
  },
  (row) => [index('ledger_balances_by_merchant').on(row.merchant)],
)

export type BalanceRow = typeof ledgerBalances.$inferSelect

/** Undefined for a line that moves no money. */
const balanceKey = ({ merchant, ledger, currency, charge }: TransactionLine): string | undefined =>
  charge === null ? undefined : `${merchant}/${ledger}/${currency}`

/** Stands before the lines, which show the balance after them. */
export const ledgerBalanceProjection = projection({
  table: ledgerBalances,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  lines: {
    keysOf: (line) => [balanceKey(line) ?? []].flat(),
    apply: (row, line, key) => {
      if (!isMoved(line)) return row
      const { merchant, ledger, currency, at } = line
      const { balance, latest, lateness } = row ?? { balance: '0', latest: at, lateness: 0 }
      return {
        key: String(key),
        merchant,
        ledger,
        currency,
        balance: addUp(balance, netOf(line)),
        latest: Math.max(latest, at),
        lateness: Math.max(lateness, latest - at),
      }
    },
  },
})

export const transactionLineProjection = projection({
  table: transactionLines,
  isAppended: true,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  lines: {
    beside: { projection: ledgerBalanceProjection, keyOf: balanceKey },
    keysOf: ({ position }) => [position],
    // Written out: spreading into a literal is several times as slow.
    apply: (_, line, __, beside) => ({
      position: line.position,
      merchant: line.merchant,
      ledger: line.ledger,
      tid: line.tid,
      subId: line.subId,
      at: line.at,
      action: line.action,
      credit: line.credit,
      customer: line.customer,
      currency: line.currency,
      amount: line.amount,
      additionalAmount: line.additionalAmount,
      fee: line.charge?.fee ?? null,
      interchange: line.charge?.interchange ?? null,
      vat: line.charge?.vat ?? null,
      taxcode: line.charge?.taxcode ?? null,
      text: line.text,
      posId: line.charge && (line.posId ?? line.permissionPosId ?? null),
      posTid: line.charge && (line.posTid ?? null),
      balance: line.charge && ((beside as BalanceRow | undefined)?.balance ?? null),
      latest: line.charge && ((beside as BalanceRow | undefined)?.latest ?? null),
    }),
  },
})

type Row = typeof transactionLines.$inferSelect

const withCharge = ({ fee, interchange, vat, taxcode, ...line }: Row) => ({
  ...line,
  charge:
    fee === null || interchange === null || vat === null || taxcode === null
      ? null
      : { fee, interchange, vat, taxcode },
})

export const transactionLineQueries = (db: BetterSQLite3Database) => {
  const { merchant, ledger, position } = transactionLines
  const between = rowsOf(db, transactionLines, {
    where: [
      same(merchant),
      same(ledger),
      gt(position, param('after')),
      lt(position, param('before')),
    ],
    order: [asc(position)],
    limit: param('limit'),
  })
  const at = columnsOf(db, transactionLines, { columns: { ledger }, where: [same(position)] })
  const last = columnsOf(db, transactionLines, {
    columns: { position },
    where: [same(merchant), same(ledger)],
    order: [desc(position)],
    limit: 1,
  })
  return {
    /** The position of the newest line of a ledger; 0 without any. */
    lastOf: (of: { readonly merchant: string; readonly ledger: string | null }): number =>
      last.get(of)?.position ?? 0,
    /** The ledger that contains the line of an event. */
    ledgerAt: (position: number): string | undefined => at.get({ position })?.ledger,
    logPage: logPageQuery(db),
    /** The first lines of a ledger between two positions, in order. */
    between: (
      of: { readonly merchant: string; readonly ledger: string },
      cuts: { readonly after: number; readonly before: number },
      limit: number,
    ) => between.all({ ...of, ...cuts, limit }).map(withCharge),
  }
}
