import type { Completion } from '../../domain/accounting/completion.ts'
import { refuse } from '../../domain/refusal.ts'
import type { RawReply } from '../route.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'

export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Who may not have it gets a page. */
export const fileTypes = ['text/csv', workbookType, 'text/html']

/** `transactions-1.csv`: of each log there are parts of 50,000 lines. */
const filePattern = /^(transactions|scopes)-([1-9]\d{0,4})\.(csv|xlsx)$/

type Logs = Pick<Completion, 'transactionLogs' | 'scopeLogs'>

type Given = {
  readonly logs: Partial<Logs>
  /** What the file is called, before the part and the type. */
  readonly title: string
  /** The first sheet of a workbook. */
  readonly summary: Sheet
}

const bytesOf = async (body: ReadableStream): Promise<Uint8Array> =>
  new Uint8Array(await new Response(body).arrayBuffer())

/** A log of a report or settlement as a file. @throws Refusal resource_is_unknown */
export const fileReply = async (
  needs: MoneyNeeds,
  file: string,
  { logs, title, summary }: Given,
): Promise<RawReply> => {
  const [, name = '', part = '', type = ''] = filePattern.exec(file) ?? []
  const parts = (name === 'scopes' ? logs.scopeLogs : logs.transactionLogs) ?? []
  const { sha256 } = parts[Number(part) - 1] ?? refuse('resource_is_unknown')
  const body = (await needs.readLog(sha256)) ?? refuse('resource_is_unknown')
  const safe = `${title}-${name}-${part}.${type}`.replaceAll(/[^\w.-]+/g, '-')
  const headers = {
    'Content-Disposition': `attachment; filename="${safe}"`,
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  }
  if (type === 'csv') return { type: 'text/csv; charset=utf-8', body, headers }
  const sheets = [summary, { name, csv: await bytesOf(body) }]
  return { type: workbookType, body: await needs.makeSpreadsheet(sheets), headers }
}
