import { textsOf, type LogName } from '../infrastructure/transaction-logs/transaction-log.ts'
import type { Core } from './core.ts'
import { join } from 'node:path'
import { closeReports } from '../application/close-reports.ts'
import { completeReports } from '../application/complete-reports.ts'
import { logRangeOf, type Cuts } from '../application/log-tree.ts'
import { settleMerchants, takeSeries } from '../application/settle-merchants.ts'
import { merchants } from '../domain/aggregates.ts'
import { streamOf } from '../domain/stream.ts'
import type { Completion } from '../domain/accounting/completion.ts'
import type { ReportRow } from '../projections/reports.ts'
import type { SettlementRow } from '../projections/settlements.ts'
import { bankHolidaysOf } from '../infrastructure/bank/bank-holidays.ts'
import type { Queries } from '../projections/read-models.ts'
import { utc } from '../domain/time-zone.ts'
import { makeLogWriter, makeLogs, withNames } from '../infrastructure/transaction-logs/logs.ts'
import { randomUUID } from '../application/machine.ts'
import { nextTurn } from '../application/time-budget.ts'
import { permissionActions, type LineAction } from '../domain/accounting/transaction-line.ts'
import type { LineRange } from '../projections/log-lines.ts'
import { textStream } from '../http/text-stream.ts'
import { settlementAt, takenAfter } from '../infrastructure/transaction-logs/log-job.ts'

const linesAtOnce = 500

const permissions: ReadonlySet<LineAction> = new Set(permissionActions)

/**
 * A log of a report that is open, in the order of the log of events. Lines are read page by page as
 * fast as they are taken; no file is written.
 */
export const logSoFar =
  ({ accounting, payerDirectory }: Pick<Core, 'accounting' | 'payerDirectory'>) =>
  (from: Omit<LineRange, 'before'>, name: LogName): ReadableStream<Uint8Array> => {
    // The report may be closed meanwhile.
    const range = { ...from, before: accounting.transactionLines.lastOf(from) + 1 }
    const { merchant, before } = range
    const cuts = accounting.settlements.cuts(merchant, range.after, Number.MAX_SAFE_INTEGER)
    const settlements = takenAfter(range.after, cuts)
    const { columns, lineText } = textsOf(name)
    const pages = async function* () {
      yield `${columns}\n`
      for (let { after } = range; ; await nextTurn()) {
        const page = accounting.transactionLines.logPage({ ...range, after }, linesAtOnce)
        if (page.length === 0) return
        after = page.at(-1)?.position ?? before
        // A page may have lines of the other log alone.
        yield page
          .filter(({ action }) => permissions.has(action) === (name === 'scopes'))
          .map((line) => `${lineText(line, settlementAt(settlements, line.position))}\n`)
          .join('')
      }
    }
    return textStream(pages()).pipeThrough(withNames(payerDirectory.show))
  }

type Ids = Pick<Core, 'tidOf' | 'ridOf'>

/** Letters and digits without look-alikes. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Six characters for a merchant's settlement ids. A second candidate is rarely needed. */
const candidate =
  ({ digest }: Core) =>
  (merchant: string, number: number): string => {
    const parts = number === 0 ? [merchant] : [merchant, String(number)]
    return [...Buffer.from(digest('series', ...parts), 'hex').subarray(0, 6)]
      .map((byte) => alphabet[byte % alphabet.length])
      .join('')
  }

const closing = (core: Core) =>
  closeReports({
    share: core.shares.merchants,
    schedules: core.accounting.reportSchedules,
    ledgers: core.accounting.ledgers,
    callbackUriOf: (merchant) =>
      core.merchants.merchants.find(streamOf(merchants, merchant))?.data.callbackUri ?? null,
    correlationIdOf: (ledger, report) => core.digest('closing', ledger, String(report)),
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('closing the reports of'),
  })

export const reportLogs = ({ settings, readModelFile, accounting, payerDirectory }: Core) => {
  const directory = join(settings.DATA_DIR, 'logs')
  const writer = makeLogWriter(directory)
  const logs = makeLogs({
    directory,
    database: readModelFile,
    writer,
    reports: accounting.reports,
    settlements: accounting.settlements,
    sources: accounting.logSources,
    showCustomer: payerDirectory.show,
  })
  return { logs, close: writer.close }
}

const mostPointsOfSale = 1_000

/** The payment and the permission request that a merchant may have named so at a point of sale. */
export const idsNamedIn =
  ({ payments, merchants }: Pick<Queries, 'payments' | 'merchants'>, ids: Ids) =>
  (merchant: string, posTid: string, posId: string | undefined): readonly string[] => {
    const registered = () =>
      merchants.pointsOfSale
        .list(merchant, Number.MAX_SAFE_INTEGER, mostPointsOfSale)
        .map(({ data }) => data.id)
    const posIds =
      posId === undefined
        ? new Set([...payments.lists.posIds(merchant, mostPointsOfSale), ...registered()])
        : [posId]
    return [...posIds].flatMap((one) => [
      ids.tidOf(merchant, one, posTid),
      ids.ridOf(merchant, one, posTid),
    ])
  }

export const timeZoneIn =
  ({ merchants: rows }: Pick<Queries, 'merchants'>) =>
  (merchant: string): string =>
    rows.merchants.find(streamOf(merchants, merchant))?.data.timeZone ?? utc

/** Writes log files and settles merchants, for the service and for the operator's command. */
export const openAccounting = (core: Core) => {
  const {
    handle,
    shares: { merchants: share },
    accounting: { reports, settlements },
  } = core
  const { caughtUp } = core.readModels
  const { logs, close } = reportLogs(core)
  /** Adds the range of the log that the sums cover. */
  const within = async (making: Promise<Completion>, cuts: Cuts): Promise<Completion> => {
    const made = await making
    const logRange = logRangeOf(core.tree, cuts)
    return { ...made, ...(logRange && { logRange }) }
  }
  const settling = settleMerchants({
    handle,
    share,
    accounts: core.accounting.settlementAccounts,
    settlements,
    findAllTerms: core.findAllTerms,
    bankHolidaysOf: bankHolidaysOf(core.find),
    seriesOf: (by, ...about) => takeSeries({ handle: by, candidate: candidate(core) })(...about),
    makeLogs: (settlement: SettlementRow, fees) =>
      within(logs.ofSettlement(settlement, fees), logs.cutsOfSettlement(settlement)),
    caughtUp,
    now: core.now,
    newId: randomUUID,
    outageOf: core.outagesOf('settling'),
  })
  const complete = completeReports({
    share,
    reports,
    makeLogs: (report: ReportRow) => within(logs.ofReport(report), logs.cutsOfReport(report)),
    caughtUp,
    now: core.now,
    newId: randomUUID,
    outageOf: core.outagesOf('completing the reports of'),
  })
  return {
    settleDue: settling.settleDue,
    settleNow: settling.settleNow,
    closeDue: closing(core),
    completeReports: complete,
    readLog: logs.read,
    close,
  }
}
