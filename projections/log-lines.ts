import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import {
  permissionActions,
  type LineAction,
  type TransactionLine,
} from '../domain/accounting/transaction-line.ts'
import { clientOf } from './prepared.ts'

/** A line with the ids of its payment or permission request. */
export type LogLine = TransactionLine & {
  readonly posId: string | null
  readonly posTid: string | null
}

/** Lines sorted by tid or rid and then by time, and the number of lines of each. */
export type SortedLines = {
  readonly counts: Iterable<readonly [tid: string, lines: number]>
  readonly lines: Iterable<LogLine>
}

/** The lines of a report or a settlement, after one position and before another. */
export type LineRange = {
  readonly merchant: string
  /** Null for all ledgers of the merchant, and then only lines that move money. */
  readonly ledger: string | null
  readonly after: number
  readonly before: number
}

type Client = {
  prepare(text: string): {
    raw(): { iterate(values: object): IterableIterator<unknown> }
  }
}

type Row = readonly [
  position: number,
  ledger: string,
  tid: string,
  subId: string | null,
  at: number,
  action: LineAction,
  credit: number,
  customer: string | null,
  currency: string,
  amount: number,
  additionalAmount: number,
  fee: number | null,
  interchange: number,
  vat: number,
  taxcode: string,
  posId: string | null,
  posTid: string | null,
  text: string | null,
]

const columns = [
  ...['position', 'ledger', 'tid', 'subId', 'at', 'action', 'credit', 'customer', 'currency'],
  ...['amount', 'additionalAmount', 'fee', 'interchange', 'vat', 'taxcode'],
]
  .map((column) => `line.${column}`)
  .join(', ')

/** Which lines to read, and the table to join for their owner. */
type Kind = { readonly condition: string; readonly join: string; readonly columns: string }

const actions = permissionActions.map((action) => `'${action}'`).join(', ')

const payment: Kind = {
  condition: `NOT line.action IN (${actions})`,
  join: 'LEFT JOIN payments owner ON owner.tid = line.tid',
  columns: 'owner.posId, owner.posTid, coalesce(line.text, owner.text)',
}

const permission: Kind = {
  condition: `line.action IN (${actions})`,
  join: 'LEFT JOIN permissions owner ON owner.rid = line.tid',
  columns: 'owner.posId, owner.posTid, owner.text',
}

const whereOf = ({ ledger }: LineRange, condition: string): string => `
  WHERE line.merchant = @merchant AND line.position > @after AND line.position < @before
    AND ${condition} AND ${
      ledger === null
        ? `line.ledger IN (SELECT id FROM ledgers WHERE merchant = @merchant)
           AND line.fee IS NOT NULL`
        : 'line.ledger = @ledger'
    }`

function* linesOf(rows: Iterable<Row>, merchant: string): Generator<LogLine> {
  for (const row of rows) {
    const [position, ledger, tid, subId, at, action, credit, customer, currency] = row
    const [, , , , , , , , , amount, additionalAmount, fee, interchange, vat, taxcode] = row
    const [posId, posTid, text] = row.slice(-3) as [string | null, string | null, string | null]
    const charge = fee === null ? null : { fee, interchange, vat, taxcode }
    const about = { position, merchant, ledger, tid, subId, at, action, customer, currency }
    const own = { posId, posTid, text }
    yield { ...about, credit: credit === 1, amount, additionalAmount, charge, ...own }
  }
}

/** A page of the lines of a ledger, of payments and permissions, in log order. */
export const logPageQuery = (db: BetterSQLite3Database) => {
  const text = `SELECT ${columns}, coalesce(payment.posId, permission.posId),
      coalesce(payment.posTid, permission.posTid),
      coalesce(line.text, payment.text, permission.text)
    FROM transaction_lines line
    LEFT JOIN payments payment ON payment.tid = line.tid
    LEFT JOIN permissions permission ON permission.rid = line.tid
    WHERE line.merchant = ? AND line.ledger = ? AND line.position > ? AND line.position < ?
    ORDER BY line.position LIMIT ? + 0`
  let statement: ReturnType<ReturnType<typeof clientOf>['prepare']> | undefined
  return ({ merchant, ledger, after, before }: LineRange, limit: number): readonly LogLine[] => {
    statement ??= clientOf(db).prepare(text).raw()
    const rows = statement.all(merchant, ledger, after, before, limit)
    return [...linesOf(rows as Row[], merchant)]
  }
}

/** The lines of transaction logs. Rows are streamed, as logs can be long. */
export const logLineQueries = (client: Client, range: LineRange) => {
  const { merchant, ledger, after, before } = range
  const params = { merchant, after, before, ...(ledger !== null && { ledger }) }

  // A generator, so that the query starts when it is read: an unfinished query keeps the file open.
  function* rowsOf<Row>(query: string): Generator<Row> {
    yield* client.prepare(query).raw().iterate(params) as IterableIterator<Row>
  }

  const sorted = (kind: Kind): SortedLines => {
    const where = whereOf(range, kind.condition)
    return {
      counts: rowsOf(
        `SELECT line.tid, count(*) FROM transaction_lines line ${where}
         GROUP BY line.tid ORDER BY line.tid`,
      ),
      lines: linesOf(
        rowsOf(
          `SELECT ${columns}, ${kind.columns} FROM transaction_lines line ${kind.join} ${where}
           ORDER BY line.tid, line.at, line.position`,
        ),
        merchant,
      ),
    }
  }

  return {
    ofPayments: (): SortedLines => sorted(payment),
    ofPermissions: (): SortedLines => sorted(permission),
    currencies: (): ReadonlySet<string> => {
      const query = `SELECT DISTINCT line.currency FROM transaction_lines line`
      const rows = rowsOf<readonly [string]>(`${query} ${whereOf(range, 'true')}`)
      return new Set([...rows].map(([currency]) => currency))
    },
  }
}
