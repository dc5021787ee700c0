import { Button, Link, type Html } from '../ui/components.tsx'
import type { Completion } from '../../domain/accounting/completion.ts'
import { refuse } from '../../domain/refusal.ts'
import type { LineRange } from '../../projections/log-lines.ts'
import { csvDownload } from '../../http/text-stream.ts'
import type { PageOrReply } from './guard.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { logIn } from './zoned-log.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'

/** A button that prints the page; without scripts the browser's menu does. */
export const printButton = ({ language }: PortalVisitor): Html => (
  <Button
    type="button"
    class="second slim"
    data-print=""
    hidden
    text={textsIn[language].money.print}
  />
)

export type Link = {
  readonly name: 'transactions' | 'scopes'
  readonly type: 'csv' | 'xlsx'
  /** What stands behind the name, in the address and on the page. */
  readonly part: string | number
  readonly more: string
}

export const linkHtml = (
  { language }: PortalVisitor,
  base: string,
  { name, type, part, more }: Link,
): Html => {
  const texts = textsIn[language].money
  return (
    <a class="button second slim" href={`${base}/${name}-${part}.${type}`}>
      {name === 'scopes' ? texts.scopes : texts.transactions}
      {more}, {type === 'csv' ? texts.csv : texts.excel}
    </a>
  )
}

/** Files of a report or a settlement: each log as CSV and as a workbook. */
export const downloadsHtml = (
  visitor: PortalVisitor,
  base: string,
  logs: { readonly transactions: number; readonly scopes: number },
): Html => {
  if (!mayDo(visitor.me.terms, 'download')) return null
  const links = (name: 'transactions' | 'scopes') =>
    Array.from({ length: logs[name] }, (_, index) => index + 1).flatMap((part) =>
      (['xlsx', 'csv'] as const).map((type) => {
        const more = logs[name] > 1 ? ` ${part}` : ''
        return linkHtml(visitor, base, { name, type, part, more })
      }),
    )
  return (
    <div class="buttons downloads">
      {links('transactions')} {links('scopes')} {printButton(visitor)}
    </div>
  )
}

/** A log without a line is not there; a large one is no workbook. */
export type OpenFiles = { readonly hasScopes: boolean; readonly isLarge: boolean }

/** Files of an open report, as far as it is. */
export const openDownloadsHtml = (
  visitor: PortalVisitor,
  base: string,
  { hasScopes, isLarge }: OpenFiles,
): Html => {
  if (!mayDo(visitor.me.terms, 'download')) return null
  const names = hasScopes ? (['transactions', 'scopes'] as const) : (['transactions'] as const)
  const types = isLarge ? (['csv'] as const) : (['xlsx', 'csv'] as const)
  const more = ` ${textsIn[visitor.language].money.untilNow}`
  return (
    <div class="buttons downloads">
      {names.flatMap((name) =>
        types.map((type) => linkHtml(visitor, base, { name, type, part: 'so-far', more })),
      )}
      {printButton(visitor)}
    </div>
  )
}

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Who may not have it gets a page. */
export const fileTypes = ['text/csv', workbookType, 'text/html']

/** `transactions-1.csv`: of each log there are parts of 50,000 lines. */
const filePattern = /^(transactions|scopes)-([1-9]\d{0,4})\.(csv|xlsx)$/

const openFilePattern = /^(transactions|scopes)-so-far\.(csv|xlsx)$/

type Logs = Pick<Completion, 'transactionLogs' | 'scopeLogs'>

type FileNames = {
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
    body: (
      <div class="card narrow-card">
        <h1>{texts.workbookLate}</h1>
        <p>{texts.workbookLateText}</p>
        <div class="actions">
          <Link class="button" href={csv} download text={texts.csv} />
        </div>
      </div>
    ),
  }
}

/** Whoever takes it, and the shop whose file it is. */
type Reader = Pick<PortalVisitor, 'language'> & {
  readonly shop: Pick<PortalVisitor['shop'], 'timeZone'>
}

type Sent = Pick<FileNames, 'summary'> & {
  /** Of the log. */
  readonly name: 'transactions' | 'scopes'
  readonly type: string
  /** What the file is called, before its type. */
  readonly file: string
  /** The same lines as CSV, beside it in the same folder. */
  readonly csv: string
}

const fileHeaders = {
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** A workbook, or a page that leads to the same lines as CSV where it takes too long. */
export const workbookReply = async (
  { makeSpreadsheet }: Pick<MoneyNeeds, 'makeSpreadsheet'>,
  visitor: Pick<Reader, 'language'>,
  file: string,
  { sheets, csv }: { readonly sheets: readonly Sheet[]; readonly csv: string },
): Promise<PageOrReply> => {
  const workbook = await makeSpreadsheet(sheets)
  if (!workbook) return latePage(visitor, csv)
  const disposition = `attachment; filename="${file}"`
  return {
    type: workbookType,
    body: workbook,
    headers: { ...fileHeaders, 'Content-Disposition': disposition },
  }
}

const sentAs = async (
  needs: Pick<MoneyNeeds, 'makeSpreadsheet'>,
  visitor: Reader,
  log: ReadableStream,
  { name, type, summary, file, csv }: Sent,
): Promise<PageOrReply> => {
  const body = log.pipeThrough(logIn(visitor.shop.timeZone, name))
  const safe = `${file}.${type}`.replaceAll(/[^\w.-]+/g, '-')
  if (type === 'csv') return csvDownload(safe, body, fileHeaders)
  const sheets = [summary, { name, csv: await bytesOf(body) }]
  return workbookReply(needs, visitor, safe, { sheets, csv })
}

/**
 * A log of a report or settlement as a file, or a page where it takes too long.
 * @throws Refusal resource_is_unknown
 */
export const fileReply = async (
  needs: Pick<MoneyNeeds, 'readLog' | 'makeSpreadsheet'>,
  visitor: Reader,
  file: string,
  { logs, title, summary }: FileNames,
): Promise<PageOrReply> => {
  const [, log, part = '', type = ''] = filePattern.exec(file) ?? []
  const name = log === 'scopes' ? log : 'transactions'
  const parts = (name === 'scopes' ? logs.scopeLogs : logs.transactionLogs) ?? []
  const { sha256 } = parts[Number(part) - 1] ?? refuse('resource_is_unknown')
  const body = (await needs.readLog(sha256)) ?? refuse('resource_is_unknown')
  return sentAs(needs, visitor, body, {
    name,
    type,
    summary,
    file: `${title}-${name}-${part}`,
    csv: `${name}-${part}.csv`,
  })
}

/** More lines are for CSV alone, which takes no memory. */
export const mostWorkbookLines = 50_000

type Open = Omit<FileNames, 'logs'> & {
  /** From where the report has lines. */
  readonly range: Omit<LineRange, 'before'>
  readonly files: OpenFiles
}

/** The same of a report that is open. @throws Refusal resource_is_unknown */
export const openFileReply = async (
  needs: Pick<MoneyNeeds, 'readOpenLog' | 'makeSpreadsheet'>,
  visitor: Reader,
  file: string,
  { range, files, title, summary }: Open,
): Promise<PageOrReply> => {
  const [, name = '', type = ''] = openFilePattern.exec(file) ?? []
  if (name !== 'transactions' && name !== 'scopes') return refuse('resource_is_unknown')
  if (name === 'scopes' && !files.hasScopes) return refuse('resource_is_unknown')
  if (type === 'xlsx' && files.isLarge) return refuse('resource_is_unknown')
  const csv = `${name}-so-far.csv`
  const body = needs.readOpenLog(range, name)
  return sentAs(needs, visitor, body, { name, type, summary, csv, file: `${title}-${name}` })
}
