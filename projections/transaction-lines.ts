import { asc, desc, gt, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LineAction } from '../domain/accounting/transaction-line.ts'
import { logPageQuery } from './log-lines.ts'
import { columnsOf, given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

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
  },
  (row) => [index('transaction_lines_by_ledger').on(row.merchant, row.ledger, row.position)],
)

export const transactionLineProjection = projection({
  table: transactionLines,
  isAppended: true,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  lines: {
    keysOf: ({ position }) => [position],
    apply: (_, line) => ({
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
      gt(position, given('after')),
      lt(position, given('before')),
    ],
    order: [asc(position)],
    limit: given('limit'),
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
