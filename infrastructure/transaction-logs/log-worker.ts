import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Completion } from '../../domain/accounting/completion.ts'
import type { SettlementFee } from '../../domain/accounting/settlement.ts'
import { permissionActions, type LineAction } from '../../domain/accounting/transaction-line.ts'
import Database from '../sqlite.ts'
import { writeLogs, type LogLine, type SortedLines } from './transaction-log.ts'

/** A settlement that took the lines of a merchant after one position and before another. */
export type Taken = { readonly after: number; readonly before: number; readonly id: string }

/** The lines of a report or a settlement. */
export type LogJob = {
  /** File of the read models. */
  readonly database: string
  readonly merchant: string
  /** Null for all ledgers of the merchant, and then only lines that move money. */
  readonly ledger: string | null
  readonly after: number
  readonly before: number
  /** Settlements that the log shows, in order. */
  readonly settlements: readonly Taken[]
  /** What a settlement costs, in the order of currencies; of those in which it has lines, a line each. */
  readonly settlementFees: readonly SettlementFee[]
  readonly format: number
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

const ofPermission = `line.action IN (${permissionActions.map((action) => `'${action}'`).join(', ')})`

/** What a line belongs to, and what that is called. */
type Owner = { readonly join: string; readonly columns: string }

const payment: Owner = {
  join: 'LEFT JOIN payments owner ON owner.tid = line.tid',
  columns: 'owner.posId, owner.posTid, coalesce(line.text, owner.text)',
}

const permission: Owner = {
  join: 'LEFT JOIN permissions owner ON owner.rid = line.tid',
  columns: 'owner.posId, owner.posTid, owner.text',
}

const linesWhere = ({ ledger }: LogJob, which: string): string => `
  WHERE line.merchant = @merchant AND line.position > @after AND line.position < @before AND ${which} AND
        ${
          ledger === null
            ? 'line.ledger IN (SELECT id FROM ledgers WHERE merchant = @merchant) AND line.fee IS NOT NULL'
            : 'line.ledger = @ledger'
        }`

const columns = [
  ...[
    'position',
    'ledger',
    'tid',
    'subId',
    'at',
    'action',
    'credit',
    'customer',
    'currency',
    'amount',
  ],
  ...['additionalAmount', 'fee', 'interchange', 'vat', 'taxcode'],
]
  .map((column) => `line.${column}`)
  .join(', ')

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

/** Lines of one kind, as one query counts them and another reads them. */
const sortedLines = (
  database: Database.Database,
  job: LogJob,
  which: string,
  owner: Owner,
): SortedLines => {
  const { merchant, ledger, after, before } = job
  const given = { merchant, after, before, ...(ledger !== null && { ledger }) }
  const where = linesWhere(job, which)
  // A generator, so that the query begins when it is read: one that begins and does not end keeps the database open.
  function* rowsOf<Row>(query: string): Generator<Row> {
    yield* database.prepare(query).raw().iterate(given) as IterableIterator<Row>
  }
  return {
    counts: rowsOf(
      `SELECT line.tid, count(*) FROM transaction_lines line ${where} GROUP BY line.tid ORDER BY line.tid`,
    ),
    lines: linesOf(
      rowsOf(
        `SELECT ${columns}, ${owner.columns} FROM transaction_lines line ${owner.join} ${where}
         ORDER BY line.tid, line.at, line.position`,
      ),
      merchant,
    ),
  }
}

/** A settlement's own log ends with what it costs, so that its nets add up. */
const feeLines = (database: Database.Database, job: LogJob): readonly LogLine[] => {
  const { merchant, after, before, settlementFees } = job
  if (settlementFees.length === 0) return []
  const query = `SELECT DISTINCT line.currency FROM transaction_lines line ${linesWhere(job, 'true')}`
  const settled = new Set(database.prepare(query).pluck().all({ merchant, after, before }))
  const nothing = { subId: null, credit: false, customer: null, amount: 0, additionalAmount: 0 }
  const nobody = { ledger: '', tid: '', posId: null, posTid: null, text: null }
  return settlementFees
    .filter(({ currency }) => settled.has(currency))
    .map(({ at, currency, fee, vat, taxcode }) => {
      const charge = { fee, interchange: 0, vat, taxcode }
      const about = { position: before - 1, merchant, at, action: 'fee' as const, currency }
      return { ...about, ...nothing, ...nobody, charge }
    })
}

const followedBy = ({ counts, lines }: SortedLines, last: readonly LogLine[]): SortedLines => {
  function* both<Item>(some: Iterable<Item>, others: readonly Item[]): Generator<Item> {
    yield* some
    yield* others
  }
  return last.length === 0
    ? { counts, lines }
    : { counts: both(counts, [['', last.length] as const]), lines: both(lines, last) }
}

const settlementAt = (settlements: readonly Taken[], position: number): string | null => {
  let low = 0
  let high = settlements.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((settlements[middle]?.before ?? 0) > position) high = middle
    else low = middle + 1
  }
  const found = settlements[low]
  return found && found.after < position ? found.id : null
}

/** @throws Error when the file is not folded as far as its lines are asked for: it is not the one that the process has open */
const refuseStale = (database: Database.Database, { before }: LogJob): void => {
  const position = Number(database.prepare('SELECT position FROM checkpoint').pluck().get())
  if (position >= before) return
  throw new Error(
    `the file of the read models is folded to ${position}, not to ${before}: another was put in its place, and the service must be started again`,
  )
}

const draftFile = workerData as string

const perform = (job: LogJob): Completion => {
  const database = new Database(job.database, { readonly: true, timeout: 5000 })
  // In KiB, and what the sorter holds before it writes to a file: a report is as long as it is.
  database.pragma('cache_size = -4096')
  try {
    refuseStale(database, job)
    const lines = sortedLines(database, job, `NOT ${ofPermission}`, payment)
    const ofPayments = followedBy(lines, feeLines(database, job))
    const ofPermissions = sortedLines(database, job, ofPermission, permission)
    const settlementIdOf = ({ position }: LogLine) => settlementAt(job.settlements, position)
    return writeLogs(draftFile, { ofPayments, ofPermissions }, settlementIdOf, job.format)
  } finally {
    database.close()
  }
}

// Requests come first. Without a process id Linux sets this of the calling thread alone; elsewhere threads share it.
if (parentPort && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort?.on('message', (job: LogJob) => {
  try {
    parentPort?.postMessage({ completion: perform(job) })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const code = error instanceof Database.SqliteError ? error.code : undefined
    parentPort?.postMessage({ problem, code })
  }
})
