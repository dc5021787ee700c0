import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { ListedLine, MoneyLineRange, SummedLines } from '../domain/accounting/money-line.ts'
import type { Sum } from '../domain/money/money.ts'
import { clientOf } from './prepared.ts'

const isOfPermission = `action IN ('permission_request', 'permission_answered', 'permission_fail')`

/**
 * With a ledger, its index is used. Without one, the plus keeps SQLite from reading all lines of a
 * merchant for a few positions.
 */
const source = ({ merchant, ledger }: MoneyLineRange): string => `
  FROM transaction_lines
  WHERE position > @after AND position < @before AND fee IS NOT NULL
    ${merchant === null ? '' : `AND ${ledger === null ? '+' : ''}merchant = @merchant`}
    ${ledger === null ? '' : 'AND ledger = @ledger'}`

const summed = ['amount', 'additionalAmount', 'fee', 'interchange', 'vat']

const listed = (range: MoneyLineRange): string => `
  SELECT position, merchant, ledger, tid, subId, at, action, currency,
    ${isOfPermission} AS isOfPermission, ${summed.join(', ')}
  ${source(range)} ORDER BY position LIMIT @limit`

const sums = (range: MoneyLineRange): string => `
  SELECT merchant, currency, action, ${isOfPermission} AS isOfPermission, count(*) AS count,
    ${summed.map((one) => `sum(${one}) AS ${one}`).join(', ')}
  ${source(range)} GROUP BY merchant, currency, action`

const fundingStreams = `
  SELECT 'funding_receipt-' || id AS stream FROM funding_receipts
  UNION ALL SELECT 'funding_difference-' || key FROM funding_differences`

const withBoolean = (row: unknown): object => ({
  ...(row as object),
  isOfPermission: (row as { readonly isOfPermission: number }).isOfPermission === 1,
})

/** Auditors' queries over lines and settlements. They are rare, so nothing is stored for them. */
export const auditRowQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const all = <Row>(text: string, values: object): Row[] =>
    client
      .prepare(text)
      .all(values)
      .map((row) => withBoolean(row) as Row)
  const find = <Row>(text: string, values: object): Row | undefined =>
    client.prepare(text).get(values) as Row | undefined
  return {
    /** The position `count` lines further on, if there are so many. */
    linesFurther: (after: number, count: number) =>
      find<{ readonly position: number }>(
        `SELECT position FROM transaction_lines WHERE position > @after
         ORDER BY position LIMIT 1 OFFSET @count`,
        { after, count },
      )?.position,
    /** The first lines, in the order of the log. */
    lines: (range: MoneyLineRange, limit: number) =>
      all<ListedLine>(listed(range), { ...range, limit }),
    sums: (range: MoneyLineRange) => all<SummedLines>(sums(range), range),
    settlementNamed: (settlementId: string) =>
      find<{ readonly merchant: string; readonly serial: number }>(
        'SELECT merchant, serial FROM settlements WHERE settlementId = @settlementId',
        { settlementId },
      ),
    /** The settlement that takes a merchant's line at a position; it may still be in the making. */
    settlementTaking: (merchant: string, position: number) =>
      find<{ readonly settlementId: string; readonly serial: number; readonly making: number }>(
        `SELECT settlementId, serial, making FROM settlements
         WHERE merchant = @merchant AND startedPosition > @position
         ORDER BY startedPosition LIMIT 1`,
        { merchant, position },
      ),
    /** Merchants that were ever settled. */
    settledMerchants: (): readonly string[] =>
      client
        .prepare('SELECT DISTINCT merchant FROM settlements ORDER BY merchant')
        .all({})
        .map((row) => (row as { readonly merchant: string }).merchant),
    fundingStreams: () =>
      all<{ readonly stream: string }>(fundingStreams, {}).map(({ stream }) => stream),
    /** Balance of a journal account in each currency. */
    balances: (account: string, merchant: string | null) =>
      client
        .prepare(
          `SELECT currency, balance FROM journal_balances
           WHERE account = @account AND merchant IS @merchant ORDER BY currency`,
        )
        .all({ account, merchant }) as readonly {
        readonly currency: string
        readonly balance: Sum
      }[],
  }
}
