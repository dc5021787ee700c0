import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { halfHourMs, type LineSum } from '../domain/accounting/line-sums.ts'
import { settlementFeesOf } from '../domain/accounting/settlement.ts'
import { addUp, type MinorUnits, type Sum } from '../domain/money/money.ts'
import type { Instant } from '../domain/time.ts'
import { clientOf } from './prepared.ts'
import { projection } from './projection.ts'
import { spanStart } from './turnover.ts'

/** Sums of what moves money in a half hour: days of any time zone follow from them. */
const transactionSums = sqliteTable(
  'transaction_sums',
  {
    /** `<merchant>/<ledger>/<currency>/<since>` */
    key: text().primaryKey(),
    merchant: text().notNull(),
    /** Empty for settlement fees. */
    ledger: text().notNull(),
    currency: text().notNull(),
    since: integer().notNull(),
    count: integer().notNull(),
    gross: text().$type<Sum>().notNull(),
    fee: text().$type<Sum>().notNull(),
    interchange: text().$type<Sum>().notNull(),
    vat: text().$type<Sum>().notNull(),
  },
  (row) => [index('transaction_sums_by_time').on(row.merchant, row.since)],
)

export type TransactionSum = Omit<typeof transactionSums.$inferSelect, 'key' | 'merchant'>

type Added = {
  readonly count: number
  readonly gross: MinorUnits | Sum
  readonly fee: MinorUnits | Sum
  readonly interchange: MinorUnits | Sum
  readonly vat: MinorUnits | Sum
}

type Amounts = Pick<TransactionSum, 'count' | 'gross' | 'fee' | 'interchange' | 'vat'>

const nothing: Amounts = { count: 0, gross: '0', fee: '0', interchange: '0', vat: '0' }

export const withAmounts = (sum: Amounts = nothing, more: Added): Amounts => ({
  count: sum.count + more.count,
  gross: addUp(sum.gross, more.gross),
  fee: addUp(sum.fee, more.fee),
  interchange: addUp(sum.interchange, more.interchange),
  vat: addUp(sum.vat, more.vat),
})

const keyOf = (merchant: string | null, ledger: string, currency: string, at: Instant): string =>
  `${merchant}/${ledger}/${currency}/${spanStart(at, halfHourMs)}`

const sumKey = ({ merchant, ledger, currency, at }: LineSum): string =>
  keyOf(merchant, ledger, currency, at)

export const transactionSumProjection = projection({
  table: transactionSums,
  handles: ['SettlementMade'],
  keysOf: ({ metadata: { merchant, at }, data: { totals } }) =>
    settlementFeesOf(totals, at).map(({ currency }) => keyOf(merchant, '', currency, at)),
  apply: (row, { metadata: { merchant, at }, data: { totals } }, key) => {
    const fees = settlementFeesOf(totals, at)
    const own = fees.find(({ currency }) => keyOf(merchant, '', currency, at) === key)
    if (!own) return row
    const { currency, fee, vat } = own
    const about = { key: String(key), merchant: merchant ?? '', ledger: '', currency }
    const since = spanStart(at, halfHourMs)
    return {
      ...about,
      since,
      ...withAmounts(row, { count: 1, gross: 0, fee, interchange: 0, vat }),
    }
  },
  sums: {
    keysOf: (sum) => (sum.charge === null ? [] : [sumKey(sum)]),
    apply: (row, sum, key) => {
      const { merchant, ledger, currency, at, count, amount, additionalAmount, charge } = sum
      if (charge === null) return row
      const { fee, interchange, vat } = charge
      const more = { count, gross: amount + additionalAmount, fee, interchange, vat }
      const about = { key: String(key), merchant, ledger, currency }
      return { ...about, since: spanStart(at, halfHourMs), ...withAmounts(row, more) }
    },
  },
})

const halfHoursRead = 100

const listText = (way: 'ASC' | 'DESC'): string => `
  SELECT ledger, currency, since, count, gross, fee, interchange, vat FROM transaction_sums
  WHERE merchant = @merchant AND since IN (
    SELECT DISTINCT since FROM transaction_sums
    WHERE merchant = @merchant AND since >= @from AND since < @to
    ORDER BY since ${way} LIMIT ${halfHoursRead})
  ORDER BY since ${way}`

export const transactionSumQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  let oldest: ReturnType<typeof client.prepare> | undefined
  let newest: ReturnType<typeof client.prepare> | undefined
  return {
    /** Of the first half hours that begin from one instant on and before another. */
    list: (
      order: 'oldest' | 'newest',
      range: { readonly merchant: string; readonly from: Instant; readonly to: Instant },
    ): readonly TransactionSum[] => {
      const statement =
        order === 'oldest'
          ? (oldest ??= client.prepare(listText('ASC')))
          : (newest ??= client.prepare(listText('DESC')))
      return statement.all(range) as TransactionSum[]
    },
  }
}
