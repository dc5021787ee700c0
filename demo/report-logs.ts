import type { MerchantClient } from './merchant-client.ts'
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

/** All lines of the transaction logs of reports, as their links give them to anybody who holds one. */
export const readReportLogs = async (
  address: string,
  till: MerchantClient,
  reports: readonly string[],
): Promise<readonly LogLine[]> => {
  const lines: LogLine[] = []
  for (const report of reports) {
    const { body } = await till('GET', report)
    for (const uri of body.transaction_log_uris as string[]) {
      const csv = await fetch(new URL(uri, address), { headers: { Accept: 'text/csv' } })
      lines.push(...linesOf(await csv.text(), body.id))
    }
  }
  return lines
}
