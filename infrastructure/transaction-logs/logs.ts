import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { start } from '../../application/event-store.ts'
import type { Cuts } from '../../application/log-tree.ts'
import type { Completion } from '../../domain/accounting/completion.ts'
import { type SettlementFee, settlementFeesOf } from '../../domain/accounting/settlement.ts'
import { idIn, merchantAndIdIn } from '../../domain/stream.ts'
import type { LogFileRow } from '../../projections/transaction-lines.ts'
import type { ReportRow } from '../../projections/reports.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import { takenAfter, type Taken, type begin, type LogJob } from './log-job.ts'
import { logFormat, textCell } from './transaction-log.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import { jobThread } from '../threads/job-thread.ts'
import { aside, randomUUID, wallClock } from '../../application/machine.ts'

/** In megabytes. Lines are streamed; a larger heap would only be collected later. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** In ms; no log takes this long to write. */
const draftLifetime = 86_400_000

/** Removes drafts of killed processes. */
const removeLeftDrafts = (directory: string): void => {
  try {
    for (const name of readdirSync(directory)) {
      if (!name.endsWith('.draft')) continue
      const file = join(directory, name)
      if (statSync(file).mtimeMs < wallClock() - draftLifetime) rmSync(file, { force: true })
    }
  } catch {
    // The directory does not exist yet, or another process was faster; a later start tries again.
  }
}

/**
 * Writes logs in sequence in a worker thread. If the thread dies, its log fails and the next one
 * starts a new thread.
 */
export const makeLogWriter = (directory: string) => {
  removeLeftDrafts(directory)
  /** The file in progress; removed if the thread is lost. */
  const draftFile = join(directory, `${randomUUID()}.draft`)
  const { ask, end } = jobThread<typeof begin>('infrastructure/transaction-logs/log-job', {
    start: draftFile,
    yields: 'much',
    resourceLimits,
    closed: 'the log writer is closed',
    onEnd: () => {
      try {
        rmSync(draftFile, { force: true })
      } catch {
        // A later start tries again.
      }
    },
  })
  return { write: (job: LogJob): Promise<Completion> => ask(job), close: end }
}

type LogWriter = ReturnType<typeof makeLogWriter>

/** A quoted text cell, or a customer as stored in the event log. */
const quotedOrStored = /"(?:[^"]|"")*"|(?<=,)(?:sealed|granted):[^,\n]+(?=,)/g

const namesKept = 10_000

/**
 * Fills in customer names while a log file is read. The file contains sealed names only, so an
 * erased person's cell becomes empty.
 */
export const withNames = (show: (stored: string) => string | null) => {
  const known = generationalCache<string, string>(namesKept)
  const cellOf = (stored: string): string => {
    if (stored.startsWith('"')) return stored
    const cell = known.get(stored) ?? textCell(show(stored))
    known.set(stored, cell)
    return cell
  }
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true })
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      controller.enqueue(encoder.encode(text.slice(0, end).replace(quotedOrStored, cellOf)))
    },
    flush(controller) {
      controller.enqueue(encoder.encode(rest.replace(quotedOrStored, cellOf)))
    },
  })
}

/** Names are filled in chunk by chunk; requests wait during each. */
const chunkBytes = 1 << 16

/** A log is written again in its original format. */
const formatOf = (made: Completion | null): number => (made ? (made.format ?? 1) : logFormat)

type Needs = {
  readonly directory: string
  readonly database: string
  readonly writer: Pick<LogWriter, 'write'>
  readonly reports: {
    findByKey(key: string): ReportRow | undefined
    find(merchant: string, ledger: string, number: number): ReportRow | undefined
  }
  readonly settlements: {
    find(merchant: string, serial: number): SettlementRow | undefined
    cuts(
      merchant: string,
      after: number,
      before: number,
    ): readonly { readonly startedPosition: number; readonly settlementId: string }[]
  }
  readonly sources: { find(sha256: string): LogFileRow | undefined }
  /** Null for an erased customer. */
  readonly showCustomer: (stored: string) => string | null
}

/**
 * The log files of reports and settlements, named by the hash of their bytes. A node that lacks one
 * writes it again from the event log.
 */
export const makeLogs = ({ directory, database, writer, ...needs }: Needs) => {
  /** The settlements that took the lines between two positions. */
  const takenBetween = (merchant: string, first: number, last: number): Taken[] =>
    takenAfter(first, needs.settlements.cuts(merchant, first, last))

  const cutsOfReport = ({ ledgerStream, number, closedPosition: before }: ReportRow): Cuts => {
    const [merchant, ledger] = merchantAndIdIn(idIn(ledgerStream))
    const after = needs.reports.find(merchant, ledger, number - 1)?.closedPosition ?? start
    return { after, before }
  }

  const cutsOfSettlement = ({ merchant, serial, startedPosition: before }: SettlementRow): Cuts => {
    const after = needs.settlements.find(merchant, serial - 1)?.startedPosition ?? start
    return { after, before }
  }

  const ofReport = (report: ReportRow): Promise<Completion> => {
    const [merchant, ledger] = merchantAndIdIn(idIn(report.ledgerStream))
    const { after, before } = cutsOfReport(report)
    const settlements = takenBetween(merchant, after, before)
    const range = { merchant, ledger, after, before, settlements }
    const format = formatOf(report.completion)
    return writer.write({ database, ...range, settlementFees: [], format })
  }

  const ofSettlement = (
    settlement: SettlementRow,
    settlementFees: readonly SettlementFee[],
  ): Promise<Completion> => {
    const { merchant, settlementId: id } = settlement
    const { after, before } = cutsOfSettlement(settlement)
    const settlements = [{ after, before, id }]
    const range = { merchant, ledger: null, after, before, settlements }
    const format = formatOf(settlement.made)
    return writer.write({ database, ...range, settlementFees, format })
  }

  const makeAgain = async (source: LogFileRow['source']): Promise<void> => {
    if (source.type === 'report') {
      const report = needs.reports.findByKey(source.key)
      if (report) await ofReport(report)
    } else {
      const settlement = needs.settlements.find(source.merchant, source.serial)
      const { made, startedAt } = settlement ?? {}
      const fees = made?.format === undefined ? [] : settlementFeesOf(made.totals, startedAt ?? 0)
      if (settlement) await ofSettlement(settlement, fees)
    }
  }

  /** Undefined if the file is missing or has the wrong length, and so is damaged. */
  const openFile = async ({ sha256, bytes }: LogFileRow) => {
    try {
      const file = await aside(() => open(join(directory, `${sha256}.csv`)))
      if ((await aside(() => file.stat())).size === bytes) return file
      await aside(() => file.close())
      return undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Undefined if no report or settlement has this file. */
  const read = async (sha256: string): Promise<ReadableStream<Uint8Array> | undefined> => {
    const known = needs.sources.find(sha256)
    if (!known) return undefined
    let file = await openFile(known)
    if (!file) {
      await makeAgain(known.source)
      file = await openFile(known)
    }
    if (!file) return undefined
    const stream = createReadStream('', { fd: file, highWaterMark: chunkBytes })
    const content = Readable.toWeb(stream) as ReadableStream<Uint8Array>
    return content.pipeThrough(withNames(needs.showCustomer))
  }

  return { ofReport, ofSettlement, cutsOfReport, cutsOfSettlement, read }
}
