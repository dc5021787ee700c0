import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Completion } from '../../domain/accounting/completion.ts'
import {
  permissionActions,
  type LineAction,
  type TransactionLine,
} from '../../domain/accounting/transaction-line.ts'
import Database from '../sqlite.ts'
import { writeLogs, type SortedLines } from './transaction-log.ts'

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
]

const ofPermission = `action IN (${permissionActions.map((action) => `'${action}'`).join(', ')})`

const linesWhere = ({ ledger }: LogJob, which: string): string => `
  FROM transaction_lines
  WHERE merchant = @merchant AND position > @after AND position < @before AND ${which} AND
        ${
          ledger === null
            ? 'ledger IN (SELECT id FROM ledgers WHERE merchant = @merchant) AND fee IS NOT NULL'
            : 'ledger = @ledger'
        }`

const columns = `
  position, ledger, tid, subId, at, action, credit, customer, currency, amount, additionalAmount,
  fee, interchange, vat, taxcode`

function* linesOf(rows: Iterable<Row>, merchant: string): Generator<TransactionLine> {
  for (const row of rows) {
    const [position, ledger, tid, subId, at, action, credit, customer, currency] = row
    const [, , , , , , , , , amount, additionalAmount, fee, interchange, vat, taxcode] = row
    const charge = fee === null ? null : { fee, interchange, vat, taxcode }
    const about = { position, merchant, ledger, tid, subId, at, action, customer, currency }
    yield { ...about, credit: credit === 1, amount, additionalAmount, charge }
  }
}

/** Lines of one kind, as one query counts them and another reads them. */
const sortedLines = (database: Database.Database, job: LogJob, which: string): SortedLines => {
  const { merchant, ledger, after, before } = job
  const given = { merchant, after, before, ...(ledger !== null && { ledger }) }
  const where = linesWhere(job, which)
  // A generator, so that the query begins when it is read: one that begins and does not end keeps the database open.
  function* rowsOf<Row>(query: string): Generator<Row> {
    yield* database.prepare(query).raw().iterate(given) as IterableIterator<Row>
  }
  return {
    counts: rowsOf(`SELECT tid, count(*) ${where} GROUP BY tid ORDER BY tid`),
    lines: linesOf(rowsOf(`SELECT ${columns} ${where} ORDER BY tid, at, position`), merchant),
  }
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
    const ofPayments = sortedLines(database, job, `NOT ${ofPermission}`)
    const ofPermissions = sortedLines(database, job, ofPermission)
    return writeLogs(draftFile, { ofPayments, ofPermissions }, ({ position }) =>
      settlementAt(job.settlements, position),
    )
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
