import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { LineAction, TransactionKind } from '../domain/accounting/transaction-line.ts'
import { kindOfAction, lineActions } from '../domain/accounting/transaction-line.ts'
import type { Sum } from '../domain/money/money.ts'
import type { Instant } from '../domain/time.ts'
import { clientOf } from './prepared.ts'
import { settlementFeeQueries } from './settlement-fees.ts'
import type { BalanceRow } from './transaction-lines.ts'
import {
  anywhere,
  type Between,
  type Transaction,
  type TransactionPlace,
} from './transaction-row.ts'

/** Absent: any. */
export type TransactionFilter = {
  readonly merchant: string
  readonly order: 'oldest' | 'newest'
  readonly ledger?: string | undefined
  /** Where the report with this number lies in a ledger; undefined where there is none. */
  readonly reportIn?: ((ledger: string) => Between | undefined) | undefined
  readonly posId?: string | undefined
  readonly kind?: TransactionKind | undefined
  readonly currency?: string | undefined
  /** Any of these. */
  readonly tids?: readonly string[] | undefined
  readonly captureId?: string | undefined
  readonly refundId?: string | undefined
  readonly settlement?: (Between & { readonly settlementId: string }) | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}

export type TransactionPage = {
  readonly rows: readonly Transaction[]
  /** The end of the page; null if it is the last one. */
  readonly next: TransactionPlace | null
}

type Way = 'asc' | 'desc'

/** Rows between two positions, the first in the order of the way. */
type Source = (between: Between, limit: number) => readonly Transaction[]

type Row = readonly [
  position: number,
  ledger: string,
  action: LineAction,
  at: number,
  currency: string,
  gross: number,
  fee: number,
  interchange: number,
  vat: number,
  taxcode: string,
  balance: Sum,
  tid: string,
  posId: string | null,
  posTid: string | null,
  subId: string | null,
]

const columns = [
  ...['line.position', 'line.ledger', 'line.action', 'line.at', 'line.currency'],
  ...['line.amount + line.additionalAmount', 'line.fee', 'line.interchange', 'line.vat'],
  ...['line.taxcode', 'line.balance', 'line.tid', 'line.posId', 'line.posTid', 'line.subId'],
].join(', ')

/** By index: destructuring takes several times as long, and pages have many rows. */
const transactionOf = (row: Row): Transaction => ({
  position: row[0],
  part: '',
  ledger: row[1],
  // Never null, because money has moved.
  kind: kindOfAction[row[2]] as TransactionKind,
  at: row[3],
  currency: row[4],
  gross: row[5],
  fee: row[6],
  interchange: row[7],
  vat: row[8],
  taxcode: row[9],
  balance: row[10],
  tid: row[11],
  posId: row[12],
  posTid: row[13],
  subId: row[14],
  settlementId: null,
})

/** What is looked up, by the index that serves it. */
const lookups = {
  balance: 'line.merchant = ? AND line.ledger = ? AND line.currency = ?',
  pos: 'line.merchant = ? AND line.posId = ?',
  sub_id: 'line.merchant = ? AND line.subId = ?',
  tid: 'line.merchant = ? AND line.tid = ?',
  action: `line.merchant = ? AND line.action = ? AND line.action <> 'capture'`,
} as const

type Lookup = keyof typeof lookups

const textOf = (lookup: Lookup, way: Way): string => `
  SELECT ${columns}
  FROM transaction_lines line INDEXED BY transaction_lines_by_${lookup}
  WHERE ${lookups[lookup]} AND line.balance IS NOT NULL
    AND line.position > ? AND line.position < ?
  ORDER BY line.position ${way} LIMIT ? + 0`

const nextText = `
  SELECT position, latest FROM transaction_lines line INDEXED BY transaction_lines_by_balance
  WHERE ${lookups.balance} AND line.balance IS NOT NULL AND position > ?
  ORDER BY position LIMIT 1`

const within = (one: Between, other: Between): Between => ({
  after: Math.max(one.after, other.after),
  before: Math.min(one.before, other.before),
})

const isWithin = (position: number, { after, before }: Between): boolean =>
  position > after && position < before

const fitting =
  (filter: TransactionFilter) =>
  (row: Transaction): boolean => {
    const { ledger, reportIn, posId, kind, currency, tids, captureId, refundId } = filter
    const { settlement, since, until } = filter
    if (ledger !== undefined && row.ledger !== ledger) return false
    if (posId !== undefined && row.posId !== posId) return false
    if (kind !== undefined && row.kind !== kind) return false
    if (currency !== undefined && row.currency !== currency) return false
    if (tids !== undefined && (row.tid === null || !tids.includes(row.tid))) return false
    if (captureId !== undefined && !(row.kind === 'capture' && row.subId === captureId))
      return false
    if (refundId !== undefined && !(row.kind === 'refund' && row.subId === refundId)) return false
    if (since !== undefined && row.at < since) return false
    if (until !== undefined && row.at >= until) return false
    if (settlement && row.settlementId !== null) return row.settlementId === settlement.settlementId
    if (settlement && !isWithin(row.position, settlement)) return false
    if (!reportIn) return true
    const report = row.ledger === null ? undefined : reportIn(row.ledger)
    return report !== undefined && isWithin(row.position, report)
  }

const isBefore = (one: TransactionPlace, other: TransactionPlace): boolean =>
  one.position < other.position || (one.position === other.position && one.part < other.part)

/** Rows of one source in order, read as they are needed. */
const reading = (source: Source, way: Way, between: Between, chunk: number) => {
  let left = between
  let rows: readonly Transaction[] = []
  let index = 0
  let isLast = false
  const fill = (): void => {
    rows = source(left, chunk)
    index = 0
    isLast = rows.length < chunk
    const end = rows.at(-1)?.position
    if (end !== undefined) left = { ...left, [way === 'asc' ? 'after' : 'before']: end }
  }
  return {
    peek: (): Transaction | undefined => rows[index],
    /** Whether rows are read that had to be fetched. */
    skip: (): boolean => {
      index += 1
      const isEmpty = index >= rows.length && !isLast
      if (isEmpty) fill()
      return isEmpty
    },
    fill,
  }
}

type Readings = readonly ReturnType<typeof reading>[]

const firstOf = (readings: Readings, way: Way): Readings[number] | undefined => {
  let first: { readonly of: Readings[number]; readonly row: Transaction } | undefined
  for (const of of readings) {
    const row = of.peek()
    if (!row) continue
    const isFirst = !first || (way === 'asc' ? isBefore(row, first.row) : isBefore(first.row, row))
    if (isFirst) first = { of, row }
  }
  return first?.of
}

const fewest = 32

/** What pages are read with; statements are prepared on first use. */
const readsOf = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const statements = new Map<string, ReturnType<typeof client.prepare>>()
  const statement = (text: string, isRaw = true) => {
    const known = statements.get(text)
    if (known) return known
    const made = isRaw ? client.prepare(text).raw() : client.prepare(text)
    statements.set(text, made)
    return made
  }
  return {
    fees: settlementFeeQueries(db).of,
    head: (): number =>
      (statement('SELECT position FROM checkpoint').get() as readonly [number])[0],
    balances: (merchant: string): readonly BalanceRow[] =>
      statement('SELECT * FROM ledger_balances WHERE merchant = ? ORDER BY key', false).all(
        merchant,
      ) as BalanceRow[],
    /** The first line of a balance after a position, and the latest time up to it. */
    next: ({ merchant, ledger, currency }: BalanceRow, after: number) =>
      statement(nextText).get(merchant, ledger, currency, after) as
        readonly [position: number, latest: Instant] | undefined,
    lines:
      (lookup: Lookup, way: Way, ...values: readonly string[]): Source =>
      ({ after, before }, limit) =>
        (statement(textOf(lookup, way)).all(...values, after, before, limit) as Row[]).map(
          transactionOf,
        ),
  }
}

type Reads = ReturnType<typeof readsOf>

/** The first line of a balance whose time, or an earlier line's, is not before an instant. */
const reaching = ({ head, next }: Reads, of: BalanceRow, at: Instant): number => {
  if (at > of.latest) return anywhere.before
  let [low, high] = [anywhere.after, head()]
  // All lines up to `low` are before; the first line after `high` is not.
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [position, latest] = next(of, middle) ?? [high, at]
    if (latest >= at) high = middle
    else low = position
  }
  return next(of, low)?.[0] ?? anywhere.before
}

/** Where lines of a balance can lie that fit; undefined where none can. */
const rangeOf = (reads: Reads, of: BalanceRow, filter: TransactionFilter): Between | undefined => {
  const { since, until, reportIn, settlement = anywhere } = filter
  const report = reportIn ? reportIn(of.ledger) : anywhere
  const timed = {
    after: since === undefined ? anywhere.after : reaching(reads, of, since) - 1,
    before: until === undefined ? anywhere.before : reaching(reads, of, until + of.lateness),
  }
  return report && within(timed, within(report, settlement))
}

type Ranged = { readonly source: Source; readonly between: Between }

/** Few rows among which are all lines that fit, by the narrowest index. */
const lineSources = (reads: Reads, filter: TransactionFilter, way: Way): readonly Ranged[] => {
  const { merchant, ledger, currency, kind, posId, tids, captureId, refundId } = filter
  if (kind === 'settlement_fee') return []
  const balances = reads
    .balances(merchant)
    .filter(
      (one) => (ledger ?? one.ledger) === one.ledger && (currency ?? one.currency) === one.currency,
    )
    .flatMap((of) => {
      const between = rangeOf(reads, of, filter)
      return between ? [{ of, between }] : []
    })
  const between: Between = {
    after: Math.min(...balances.map((one) => one.between.after)),
    before: Math.max(...balances.map((one) => one.between.before)),
  }
  const each = (lookup: Lookup, names: readonly string[]): readonly Ranged[] =>
    balances.length === 0
      ? []
      : names.map((name) => ({ source: reads.lines(lookup, way, merchant, name), between }))
  const subId = captureId ?? refundId
  if (tids !== undefined) return each('tid', tids)
  if (subId !== undefined) return each('sub_id', [subId])
  if (kind !== undefined && kind !== 'capture')
    return each(
      'action',
      lineActions.filter((action) => kindOfAction[action] === kind),
    )
  if (posId !== undefined) return each('pos', [posId])
  return balances.map(({ of, between: own }) => ({
    source: reads.lines('balance', way, merchant, of.ledger, of.currency),
    between: own,
  }))
}

const feeSources = (reads: Reads, filter: TransactionFilter, way: Way): readonly Ranged[] => {
  const { merchant, kind = 'settlement_fee', ledger, posId, captureId, refundId } = filter
  const isOfLine = [ledger, posId, captureId, refundId, filter.tids, filter.reportIn]
  if (kind !== 'settlement_fee' || isOfLine.some((one) => one !== undefined)) return []
  return [{ source: reads.fees(merchant, way), between: anywhere }]
}

/** Queries over the lines that move money, and settlement fees. */
export const transactionQueries = (db: BetterSQLite3Database) => {
  const reads = readsOf(db)
  return {
    /**
     * Lines that fit, after a place. What is written while they are read is on no page of it.
     * `turn` lets other work run in between.
     */
    page: async (
      filter: TransactionFilter,
      behind: TransactionPlace | null,
      size: number,
      turn: () => Promise<void>,
    ): Promise<TransactionPage> => {
      const way = filter.order === 'oldest' ? 'asc' : 'desc'
      const end = reads.head()
      // A page may have ended among the parts of a position.
      const range: Between =
        way === 'asc'
          ? { after: (behind?.position ?? 0) - 1, before: end + 1 }
          : { after: anywhere.after, before: Math.min(behind?.position ?? end, end) + 1 }
      const sources = [...lineSources(reads, filter, way), ...feeSources(reads, filter, way)]
      const chunk = Math.max(fewest, Math.ceil((size + 2) / Math.max(sources.length, 1)))
      const readings = sources.map(({ source, between }) =>
        reading(source, way, within(between, range), chunk),
      )
      for (const one of readings) one.fill()
      const fits = fitting(filter)
      const rows: Transaction[] = []
      for (let first = firstOf(readings, way); first; first = firstOf(readings, way)) {
        const row = first.peek() as Transaction
        const isBehind = !behind || (way === 'asc' ? isBefore(behind, row) : isBefore(row, behind))
        if (isBehind && fits(row)) {
          if (rows.length === size) return { rows, next: rows.at(-1) ?? null }
          rows.push(row)
        }
        if (first.skip()) await turn()
      }
      return { rows, next: null }
    },
  }
}
