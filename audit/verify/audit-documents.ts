import { getTableName } from 'drizzle-orm'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import { logRangeOf, type Cuts } from '../../application/log-tree.ts'
import type { Completion } from '../../domain/accounting/completion.ts'
import { settlementFeesOf } from '../../domain/accounting/settlement.ts'
import { settlements } from '../../domain/aggregates.ts'
import { jsonEquals } from '../../domain/json-equality.ts'
import { streamOf } from '../../domain/stream.ts'
import { projections, queriesOf } from '../../projections/read-models.ts'
import { readLogTree } from '../../infrastructure/read-models/tree-fold.ts'
import {
  type ReadModelFile,
  indexStatements,
} from '../../infrastructure/read-models/read-model-file.ts'
import { performLogJob } from '../../infrastructure/transaction-logs/log-job.ts'
import { makeLogs } from '../../infrastructure/transaction-logs/logs.ts'
import type { Pause, Problems, Progress } from './problems.ts'

const names = ['transaction_lines', 'reports', 'settlements', 'ledgers']

/** Tables with indexes for the lines of a report or settlement. */
const searched = projections
  .map(({ table }) => table)
  .filter((table) => names.includes(getTableName(table)))

type Needs = {
  readonly store: Pick<EventStore, 'readStream'>
  /** Freshly folded read models of the whole log. */
  readonly file: ReadModelFile
  readonly problems: Problems
  readonly progress: Progress
  readonly pause: Pause
}

/** The event that recorded a document. */
const recordedBy = async (
  { store, problems }: Needs,
  stream: string,
  isIt: (event: RecordedEvent) => boolean,
  problem: string,
): Promise<void> => {
  const event = (await store.readStream(stream)).find(isIt)
  if (event) problems.at(event, 'documents', problem)
  else problems.add({ check: 'documents', position: null, problem: `${stream}: ${problem}` })
}

type Made = Pick<Completion, 'counters' | 'transactionLogs' | 'scopeLogs' | 'logRange'>

const differenceOf = (recorded: Made, again: Made): string | undefined => {
  const { counters, transactionLogs, scopeLogs, logRange } = recorded
  if (!jsonEquals(counters, again.counters)) return 'it counts other lines than it has'
  if (!jsonEquals([transactionLogs, scopeLogs], [again.transactionLogs, again.scopeLogs]))
    return 'its transaction logs are not those of its lines'
  return logRange === undefined || jsonEquals(logRange, again.logRange)
    ? undefined
    : 'it names another range or root of the log than it covers'
}

/** Reports and settlements that have their documents. */
const finishedIn = ({ sqlite }: ReadModelFile) => ({
  keys: sqlite
    .prepare<[], string>('SELECT key FROM reports WHERE completion IS NOT NULL ORDER BY key')
    .pluck()
    .all(),
  made: sqlite
    .prepare<[], { merchant: string; serial: number }>(
      'SELECT merchant, serial FROM settlements WHERE made IS NOT NULL ORDER BY key',
    )
    .all(),
})

/**
 * Writes the transaction logs of all reports and settlements again, and compares their hashes with
 * the recorded ones. Returns the number of documents.
 */
export const auditDocuments = async (needs: Needs): Promise<number> => {
  const { file, progress, pause } = needs
  for (const statement of indexStatements(searched)) file.sqlite.exec(statement)
  const { accounting } = queriesOf(file.db)
  const logs = makeLogs({
    directory: '',
    database: file.sqlite.name,
    showCustomer: () => null,
    reports: accounting.reports,
    settlements: accounting.settlements,
    sources: { find: () => undefined },
    writer: { write: async (job) => performLogJob(job, null) },
  })
  const { keys, made } = finishedIn(file)
  const tree = readLogTree(file)
  const ranged = (again: Completion, cuts: Cuts): Made => {
    const logRange = logRangeOf(tree, cuts)
    return logRange ? { ...again, logRange } : again
  }
  let done = 0
  const compare = async (
    stream: string,
    isIt: (event: RecordedEvent) => boolean,
    recorded: Made,
    again: Made,
  ): Promise<void> => {
    const difference = differenceOf(recorded, again)
    if (difference !== undefined) await recordedBy(needs, stream, isIt, difference)
    progress('making reports again', (done += 1), keys.length + made.length)
    await pause()
  }
  for (const key of keys) {
    const report = accounting.reports.findByKey(key)
    if (!report?.completion) continue
    const { ledgerStream, number, completion } = report
    const isIt = ({ type, data }: RecordedEvent): boolean =>
      type === 'ReportCompleted' && data['report'] === number
    const again = await logs.ofReport(report)
    await compare(ledgerStream, isIt, completion, ranged(again, logs.cutsOfReport(report)))
  }
  for (const { merchant, serial } of made) {
    const settlement = accounting.settlements.find(merchant, serial)
    if (!settlement?.made) continue
    const { startedAt, made: recorded } = settlement
    const fees = recorded.format === undefined ? [] : settlementFeesOf(recorded.totals, startedAt)
    const again = await logs.ofSettlement(settlement, fees)
    const isIt = ({ type, data }: RecordedEvent): boolean =>
      type === 'SettlementMade' && data['serial'] === serial
    const cuts = logs.cutsOfSettlement(settlement)
    await compare(streamOf(settlements, merchant), isIt, recorded, ranged(again, cuts))
  }
  return keys.length + made.length
}
