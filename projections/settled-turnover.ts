import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LineSum } from '../domain/accounting/line-sums.ts'
import { movesMoney } from '../domain/accounting/transaction-line.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { findBy } from './prepared.ts'
import { projection } from './projection.ts'

/** By currency and action, such as `NOK capture`. */
type Sums = Readonly<Record<string, Sum>>

/** The turnover of each settlement, and of a merchant's next one. */
const settledTurnover = sqliteTable('settled_turnover', {
  /** `<merchant>/<serial>`, or `<merchant>/open`. */
  key: text().primaryKey(),
  sums: text({ mode: 'json' }).$type<Sums>().notNull(),
})

type Row = typeof settledTurnover.$inferSelect

const openKey = (merchant: string): string => `${merchant}/open`

const withSum = (row: Row | undefined, key: string, sum: LineSum): Row | undefined => {
  if (!movesMoney(sum)) return row
  const kind = `${sum.currency} ${sum.action}`
  const before = row?.sums[kind] ?? '0'
  return {
    key,
    sums: { ...row?.sums, [kind]: addUp(before, sum.amount, sum.additionalAmount) },
  }
}

export const settledTurnoverProjection = projection({
  table: settledTurnover,
  handles: ['SettlementStarted'],
  // The settlement takes every earlier line, so the open turnover becomes its own.
  keysOf: ({ metadata: { merchant }, data: { serial } }) =>
    merchant === null ? [] : [`${merchant}/${serial}`, openKey(merchant)],
  apply: (_, { metadata: { merchant } }, key, rowOf) => {
    const open = openKey(merchant ?? '')
    return { key: String(key), sums: key === open ? {} : (rowOf?.(open)?.sums ?? {}) }
  },
  sums: {
    keysOf: ({ merchant }) => [openKey(merchant)],
    apply: (row, sum, key) => withSum(row, String(key), sum),
  },
})

export const settledTurnoverQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, settledTurnover, settledTurnover.key)
  return {
    /** The turnover of a settlement, by currency and action. */
    of: (merchant: string, serial: number) => {
      const { sums = {} } = find(`${merchant}/${serial}`) ?? {}
      return (currency: string, action: 'capture' | 'refund' | 'dispute' | 'correction'): Sum =>
        sums[`${currency} ${action}`] ?? '0'
    },
  }
}
