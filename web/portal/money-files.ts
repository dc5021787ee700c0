import { html } from 'hono/html'
import type { Completion } from '../../domain/accounting/completion.ts'
import { refuse } from '../../domain/refusal.ts'
import type { LineRange } from '../../projections/log-lines.ts'
import { csvDownload } from '../../http/csv-download.ts'
import type { Shown } from './guard.ts'
import type { OpenFiles } from './money-downloads.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { textsIn } from '../../texts/catalogue.ts'

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Who may not have it gets a page. */
export const fileTypes = ['text/csv', workbookType, 'text/html']

/** `transactions-1.csv`: of each log there are parts of 50,000 lines. */
const filePattern = /^(transactions|scopes)-([1-9]\d{0,4})\.(csv|xlsx)$/

const openFilePattern = /^(transactions|scopes)-so-far\.(csv|xlsx)$/

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

/** In seconds. */
const retryAfter = 60

/** The same lines as CSV take no time. */
const latePage = ({ language }: Pick<PortalVisitor, 'language'>, csv: string): PortalPage => {
  const texts = textsIn[language].money
  return {
    title: texts.workbookLate,
    status: 503,
    retryAfter,
    body: html`<div class="card narrow-card">
      <h1>${texts.workbookLate}</h1>
      <p>${texts.workbookLateText}</p>
      <div class="actions">
        <a class="button" href="${csv}" download>${texts.csv}</a>
      </div>
    </div>`,
  }
}

type Sent = Pick<Given, 'summary'> & {
  /** Of the log. */
  readonly name: string
  readonly type: string
  /** What the file is called, before its type. */
  readonly file: string
  /** The same lines as CSV, beside it in the same folder. */
  readonly csv: string
}

const sentAs = async (
  needs: Pick<MoneyNeeds, 'makeSpreadsheet'>,
  visitor: Pick<PortalVisitor, 'language'>,
  body: ReadableStream,
  { name, type, summary, file, csv }: Sent,
): Promise<Shown> => {
  const safe = `${file}.${type}`.replaceAll(/[^\w.-]+/g, '-')
  const headers = { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' }
  if (type === 'csv') return csvDownload(safe, body, headers)
  const sheets = [summary, { name, csv: await bytesOf(body) }]
  const workbook = await needs.makeSpreadsheet(sheets)
  if (!workbook) return latePage(visitor, csv)
  const disposition = `attachment; filename="${safe}"`
  return {
    type: workbookType,
    body: workbook,
    headers: { ...headers, 'Content-Disposition': disposition },
  }
}

/**
 * A log of a report or settlement as a file, or a page where it takes too long.
 * @throws Refusal resource_is_unknown
 */
export const fileReply = async (
  needs: Pick<MoneyNeeds, 'readLog' | 'makeSpreadsheet'>,
  visitor: Pick<PortalVisitor, 'language'>,
  file: string,
  { logs, title, summary }: Given,
): Promise<Shown> => {
  const [, name = '', part = '', type = ''] = filePattern.exec(file) ?? []
  const parts = (name === 'scopes' ? logs.scopeLogs : logs.transactionLogs) ?? []
  const { sha256 } = parts[Number(part) - 1] ?? refuse('resource_is_unknown')
  const body = (await needs.readLog(sha256)) ?? refuse('resource_is_unknown')
  return sentAs(needs, visitor, body, {
    ...{ name, type, summary, file: `${title}-${name}-${part}`, csv: `${name}-${part}.csv` },
  })
}

/** More lines are for CSV alone, which takes no memory. */
export const mostWorkbookLines = 50_000

type Open = Omit<Given, 'logs'> & {
  /** From where the report has lines. */
  readonly range: Omit<LineRange, 'before'>
  readonly files: OpenFiles
}

/** The same of a report that is open. @throws Refusal resource_is_unknown */
export const openFileReply = async (
  needs: Pick<MoneyNeeds, 'readOpenLog' | 'makeSpreadsheet'>,
  visitor: Pick<PortalVisitor, 'language'>,
  file: string,
  { range, files, title, summary }: Open,
): Promise<Shown> => {
  const [, name = '', type = ''] = openFilePattern.exec(file) ?? []
  if (name !== 'transactions' && name !== 'scopes') return refuse('resource_is_unknown')
  if (name === 'scopes' && !files.hasScopes) return refuse('resource_is_unknown')
  if (type === 'xlsx' && files.isLarge) return refuse('resource_is_unknown')
  const csv = `${name}-so-far.csv`
  const body = needs.readOpenLog(range, name)
  return sentAs(needs, visitor, body, { name, type, summary, csv, file: `${title}-${name}` })
}
