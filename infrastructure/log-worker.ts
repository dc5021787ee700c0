import Database from 'better-sqlite3'
import { parentPort } from 'node:worker_threads'
import type { Completion } from '../domain/ledger.ts'
import type { LineAction, TransactionLine } from '../domain/transaction-line.ts'
import { writeTransactionLogs } from './transaction-log.ts'

/** A settlement that took the lines of a merchant after one position and before another. */
export type Taken = { readonly after: number; readonly before: number; readonly id: string }

/** The lines of a report or a settlement, and where to put their logs. */
export type LogJob = {
  /** File of the read models. */
  readonly database: string
  readonly directory: string
  readonly merchant: string
  /** Null for all ledgers of the merchant, and then only lines that move money. */
  readonly ledger: string | null
  readonly after: number
  readonly before: number
  /** Settlements that the log shows, in order. */
  readonly settlements: readonly Taken[]
}

type Row = {
  readonly position: number
  readonly ledger: string
  readonly tid: string
  readonly subId: string | null
  readonly at: number
  readonly action: LineAction
  readonly credit: number
  readonly customer: string | null
  readonly currency: string
  readonly amount: number
  readonly additionalAmount: number
  readonly fee: number | null
  readonly interchange: number
  readonly vat: number
  readonly taxcode: string
}

const select = (ledgers: string, rest: string): string => `
  SELECT position, ledger, tid, subId, at, action, credit, customer, currency, amount, additionalAmount,
         fee, interchange, vat, taxcode
  FROM transaction_lines
  WHERE merchant = @merchant AND ledger ${ledgers} AND position > @after AND position < @before ${rest}
  ORDER BY tid, at, position`

const ofReport = select('= @ledger', '')
const ofSettlement = select(
  'IN (SELECT id FROM ledgers WHERE merchant = @merchant)',
  'AND fee IS NOT NULL',
)

function* linesOf(database: Database.Database, job: LogJob): Generator<TransactionLine> {
  const { merchant, ledger, after, before } = job
  const rows = database
    .prepare(ledger === null ? ofSettlement : ofReport)
    .iterate({ merchant, after, before, ...(ledger !== null && { ledger }) })
  for (const row of rows as IterableIterator<Row>)
    yield {
      position: row.position,
      merchant,
      ledger: row.ledger,
      tid: row.tid,
      subId: row.subId,
      at: row.at,
      action: row.action,
      credit: row.credit === 1,
      customer: row.customer,
      currency: row.currency,
      amount: row.amount,
      additionalAmount: row.additionalAmount,
      charge:
        row.fee === null
          ? null
          : {
              fee: row.fee,
              interchange: row.interchange,
              vat: row.vat,
              taxcode: row.taxcode,
            },
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

const perform = (job: LogJob): Promise<Completion> => {
  const database = new Database(job.database, { readonly: true, timeout: 5000 })
  // Sorting what does not fit goes to files, whatever the number of lines.
  database.pragma('temp_store = FILE')
  database.pragma('cache_size = -16384')
  try {
    return writeTransactionLogs(job.directory, linesOf(database, job), ({ position }) =>
      settlementAt(job.settlements, position),
    )
  } finally {
    database.close()
  }
}

/** The lines of one job are written before those of the next; waiting for the disk they have in common. */
const answer = async (id: number, job: LogJob): Promise<void> => {
  try {
    parentPort?.postMessage({ id, completion: await perform(job) })
  } catch (error) {
    parentPort?.postMessage({ id, problem: error instanceof Error ? error.message : String(error) })
  }
}

parentPort?.on('message', ({ id, job }: { readonly id: number; readonly job: LogJob }) => {
  void answer(id, job)
})
