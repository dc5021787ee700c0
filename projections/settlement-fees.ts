import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { settlementFeesOf } from '../domain/accounting/settlement.ts'
import { addUp, type Sum } from '../domain/money/money.ts'
import { clientOf } from './prepared.ts'
import { projection } from './projection.ts'
import type { Between, Transaction } from './transaction-row.ts'

/** What settlements cost, by currency. Other lines are in `transaction_lines`. */
const settlementFees = sqliteTable(
  'settlement_fees',
  {
    /** `<merchant>/<serial>/<currency>`; `<merchant>/sum/<currency>` for all so far. */
    key: text().primaryKey(),
    /** Null for a sum. */
    merchant: text(),
    settlementId: text().notNull(),
    /** Of `SettlementMade`. */
    position: integer().notNull(),
    at: integer().notNull(),
    currency: text().notNull(),
    fee: integer().notNull(),
    vat: integer().notNull(),
    taxcode: text().notNull(),
    /** Of all fees so far, zero or below. */
    balance: text().$type<Sum>().notNull(),
  },
  (row) => [index('settlement_fees_by_merchant').on(row.merchant, row.position)],
)

export const settlementFeeProjection = projection({
  table: settlementFees,
  handles: ['SettlementMade'],
  // The sum first: the row of the settlement shows it.
  keysOf: ({ metadata: { merchant }, data: { serial, totals } }) =>
    settlementFeesOf(totals, 0).flatMap(({ currency }) => [
      `${merchant}/sum/${currency}`,
      `${merchant}/${serial}/${currency}`,
    ]),
  apply: (row, { position, metadata: { at, merchant }, data }, rowKey, rowOf) => {
    const key = String(rowKey)
    const [, kind, of = ''] = key.split('/')
    const found = settlementFeesOf(data.totals, at).find(({ currency }) => currency === of)
    if (!found) return row
    const { currency, fee, vat, taxcode } = found
    const about = { settlementId: data.settlementId, position, at, currency, fee, vat, taxcode }
    if (kind === 'sum')
      return { key, merchant: null, ...about, balance: addUp(row?.balance ?? '0', -fee, -vat) }
    const sum = rowOf?.(`${merchant}/sum/${currency}`)
    return { key, merchant, ...about, balance: sum?.balance ?? '0' }
  },
})

type Row = Omit<typeof settlementFees.$inferSelect, 'key' | 'merchant'>

const transactionOf = ({ position, settlementId, at, currency, balance, ...row }: Row) =>
  ({
    position,
    part: currency,
    ledger: null,
    kind: 'settlement_fee',
    at,
    currency,
    gross: 0,
    fee: row.fee,
    interchange: 0,
    vat: row.vat,
    taxcode: row.taxcode,
    balance,
    tid: null,
    posId: null,
    posTid: null,
    subId: null,
    settlementId,
  }) satisfies Transaction

/** The fees of a settlement are read together. */
const textOf = (way: 'asc' | 'desc'): string => `
  SELECT settlementId, position, at, currency, fee, vat, taxcode, balance FROM settlement_fees
  WHERE merchant = @merchant AND position IN (
    SELECT DISTINCT position FROM settlement_fees
    WHERE merchant = @merchant AND position > @after AND position < @before
    ORDER BY position ${way} LIMIT @limit + 0)
  ORDER BY position ${way}, currency ${way}`

export const settlementFeeQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const made = new Map<string, ReturnType<typeof client.prepare>>()
  const statement = (way: 'asc' | 'desc') => {
    const known = made.get(way) ?? client.prepare(textOf(way))
    made.set(way, known)
    return known
  }
  return {
    /** Of at most so many settlements of a merchant. */
    of:
      (merchant: string, way: 'asc' | 'desc') =>
      (between: Between, limit: number): readonly Transaction[] =>
        (statement(way).all({ merchant, ...between, limit }) as Row[]).map(transactionOf),
  }
}
