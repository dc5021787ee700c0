import type { MerchantClient } from '../harness/merchant-client.ts'
import type { LogLine } from './owed.ts'
import type { Report } from './sums.ts'

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

/** Reports, and all lines of their transaction logs, as their links give them to anybody who holds one. */
export const readReports = async (
  address: string,
  till: MerchantClient,
  uris: readonly string[],
): Promise<{ readonly reports: readonly Report[]; readonly lines: readonly LogLine[] }> => {
  const reports: Report[] = []
  const lines: LogLine[] = []
  for (const report of uris) {
    const { body } = await till('GET', report)
    reports.push(body)
    for (const uri of body.transaction_log_uris as string[]) {
      const csv = await fetch(new URL(uri, address), { headers: { Accept: 'text/csv' } })
      lines.push(...linesOf(await csv.text(), body.id))
    }
  }
  return { reports, lines }
}
