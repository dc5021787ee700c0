import type { Client, Report } from '../client/index.ts'
import type { LogLine } from './owed.ts'

/** The lines of a CSV file by their columns. No cell of this shop needs quotes. */
const linesOf = (csv: string, report: string): LogLine[] => {
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
