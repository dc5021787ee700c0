import { openStoreToRead, type Place } from '../infrastructure/stores.ts'
import { type Entry, type LogEvent, settled, written, type LogLine } from './payment-book.ts'
import type { Client, Report } from '../client/index.ts'

/** The lines of a CSV file by their columns. No cell of this shop needs quotes. */
export const linesOf = (csv: string, report: string): LogLine[] => {
  const [columns = [], ...lines] = csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  return lines.map((cells) =>
    Object.fromEntries([['report', report], ...columns.map((name, at) => [name, cells[at] ?? ''])]),
  )
}

/** Reports, and all lines of their transaction logs. */
export const readReports = async (
  till: Client,
  ids: readonly string[],
): Promise<{ readonly reports: readonly Report[]; readonly lines: readonly LogLine[] }> => {
  const reports: Report[] = []
  const lines: LogLine[] = []
  for (const id of ids) {
    const report = await till.getLedgerReport('default', id)
    reports.push(report)
    for (const uri of report.transaction_log_uris)
      lines.push(...linesOf(await till.get<string>(uri), report.id))
  }
  return { reports, lines }
}

/** Keeps books of the payments and of the callback attempts out of the raw event log. */
export const readBooks = async (place: Place) => {
  const entries = new Map<string, Entry>()
  /** Attempts by the id of the message, with what came of each. */
  const attempts = new Map<string, string[]>()
  /** Ids of the messages about scans that the merchant is owed, in order. */
  const scans: string[] = []
  const gaps: string[] = []
  const revisions = new Map<string, number>()
  let count = 0
  /** The shop has one ledger: a report is open until it is closed, the next one from there on. */
  let report = 1
  const store = await openStoreToRead(place)
  for await (const batch of store.readAll(0))
    for (const event of batch as readonly LogEvent[]) {
      const { type, stream, revision, data } = event
      count += 1
      if (revision !== (revisions.get(stream) ?? -1) + 1) gaps.push(`${stream} at ${revision}`)
      revisions.set(stream, revision)
      if (type === 'ReportClosed') report += 1
      if (type === 'SettlementStarted')
        for (const [payment, entry] of entries) entries.set(payment, settled(entry))
      if (stream.startsWith('payment-'))
        entries.set(stream, written(entries.get(stream), event, report))
      if (type === 'ShortlinkScanned') scans.push(event.id)
      if (type !== 'CallbackAttempted') continue
      const told = stream.slice('callback-'.length)
      attempts.set(told, [...(attempts.get(told) ?? []), data.result])
    }
  await store.close()
  return { entries: [...entries.values()], attempts, scans, gaps, count }
}

export type Books = Awaited<ReturnType<typeof readBooks>>
