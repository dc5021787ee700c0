import type { Completion } from '../../domain/accounting/completion.ts'
import type { SettlementFee } from '../../domain/accounting/settlement.ts'
import {
  logLineQueries,
  type LineRange,
  type LogLine,
  type SortedLines,
} from '../../projections/log-lines.ts'
import Database from '../sqlite.ts'
import { writeLogs } from './transaction-log.ts'

/** A settlement took the lines of a merchant between two positions. */
export type Taken = { readonly after: number; readonly before: number; readonly id: string }

export type LogJob = LineRange & {
  readonly database: string
  /** Sorted by position. */
  readonly settlements: readonly Taken[]
  /** Sorted by currency; one per currency with lines. */
  readonly settlementFees: readonly SettlementFee[]
  readonly format: number
}

/** The log of a settlement ends with the settlement's fees, so that the nets add up. */
const feeLines = (
  { before, merchant, settlementFees }: LogJob,
  currencies: () => ReadonlySet<string>,
): readonly LogLine[] => {
  if (settlementFees.length === 0) return []
  const settled = currencies()
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

/** Settlements in their order, each of which took the lines after the one before. */
export const takenAfter = (
  first: number,
  cuts: readonly { readonly startedPosition: number; readonly settlementId: string }[],
): Taken[] => {
  let after = first
  return cuts.map(({ startedPosition: before, settlementId: id }) => {
    const taken = { after, before, id }
    after = before
    return taken
  })
}

export const settlementAt = (settlements: readonly Taken[], position: number): string | null => {
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

/** @throws Error if the file lacks events of the range: the process has another file open */
const refuseStale = (database: Database.Database, { before }: LogJob): void => {
  const position = Number(database.prepare('SELECT position FROM checkpoint').pluck().get())
  if (position >= before) return
  throw new Error(
    `the file of the read models is folded to ${position}, not to ${before}: ` +
      'it was replaced, so restart the service',
  )
}

/** Writes the log of a report or settlement. Without a draft file nothing is written. */
export const performLogJob = (job: LogJob, draftFile: string | null): Completion => {
  const database = new Database(job.database, { readonly: true, timeout: 5000 })
  // In KiB; also the sorter's memory, because reports may be long.
  database.pragma('cache_size = -4096')
  try {
    refuseStale(database, job)
    const queries = logLineQueries(database, job)
    const ofPayments = followedBy(queries.ofPayments(), feeLines(job, queries.currencies))
    const ofPermissions = queries.ofPermissions()
    const settlementIdOf = ({ position }: LogLine) => settlementAt(job.settlements, position)
    return writeLogs(draftFile, { ofPayments, ofPermissions }, settlementIdOf, job.format)
  } finally {
    database.close()
  }
}

export const begin =
  (draftFile: string) =>
  (job: LogJob): Completion =>
    performLogJob(job, draftFile)
