import { formatDateTime } from '../../application/date-time.ts'
import type { Completion, LogFile } from '../../domain/accounting/completion.ts'
import { addLine, type Counters, countLine, type Totals } from '../../domain/accounting/totals.ts'
import type { LineAction } from '../../domain/accounting/transaction-line.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { LogLine, SortedLines } from '../../projections/log-lines.ts'
import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../open-files.ts'

/** Characters that separate cells or lines in some spreadsheets. */
const separators = ';\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'

/** Whitespace, invisible characters and quotes, which a spreadsheet may skip. */
const unseen = `(?:(?![${separators}])[\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}"])*`

/** A formula begins after the first, before the second (interface 8), also in full width. */
export const [cellStart, formulaStart] = [
  `(?<=^|[${separators}])`,
  `(?=${unseen}[=+\\-@\\t\\r＝＋－＠])`,
]

export const formula = new RegExp(cellStart + formulaStart, 'gu')

const guards = new RegExp(`${cellStart}'${formulaStart}`, 'gu')

const special = /[",\r\n]/

/** A text cell (RFC 4180); an apostrophe keeps spreadsheets from running it as a formula. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = text.replace(formula, "'")
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * The text of a cell for a format whose text cells run nothing. An apostrophe of its own before
 * what looks like a formula is taken for a guard.
 */
export const withoutGuards = (text: string): string => text.replace(guards, '')

const bufferedCharacters = 1 << 18

/** A file written under a draft name. */
const draftFile = (draft: string) => {
  const directory = dirname(draft)
  makeFolder(directory)
  const file = openSync(draft, 'w')
  return {
    write: (content: Buffer): void => {
      for (let written = 0; written < content.length;) written += writeSync(file, content, written)
      // Sync each time: a large backlog would delay others that sync.
      fdatasyncSync(file)
    },
    finish: (sha256: string): void => {
      // Close last: if the rename fails, `abandon` closes it.
      renameSync(draft, join(directory, `${sha256}.csv`))
      closeSync(file)
    },
    abandon: (): void => {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

/**
 * Writes one log file under a draft name; when finished, it is renamed to the hash of its bytes.
 * Without a draft name only hash and size are computed.
 */
export const openDraft = (draft: string | null, columns: string) => {
  const file = draft === null ? undefined : draftFile(draft)
  const hash = createHash('sha256')
  let buffer = `${columns}\n`
  let bytes = 0
  let lines = 0
  const flush = (): void => {
    const content = Buffer.from(buffer)
    buffer = ''
    hash.update(content)
    bytes += content.length
    file?.write(content)
  }
  return {
    add(text: string): void {
      buffer += `${text}\n`
      lines += 1
      if (buffer.length >= bufferedCharacters) flush()
    },
    finish(): LogFile {
      flush()
      const sha256 = hash.digest('hex')
      file?.finish(sha256)
      return { sha256, lines, bytes }
    },
    abandon(): void {
      file?.abandon()
    },
  }
}

/** Maximum lines per file, unless a single transaction has more (interface 8). */
export const linesPerFile = 50_000

/** The current format. Format 1 lacks the last three columns and the fees of settlements. */
export const logFormat = 2

const columns =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,' +
  'fee,interchange,vat,taxcode,net,merchant_id,settlement_id,reserved1,reserved2'

/** Added after format 1, always at the end. */
const laterColumns = ',pos_id,pos_tid,text'

/** Line breaks are removed, for programs that read logs line by line. */
const laterCells = ({ posId, posTid, text }: LogLine): readonly string[] => [
  textCell(posId),
  textCell(posTid),
  textCell(text && text.replaceAll(/[\r\n]+/g, ' ')),
]

/** A line of a transaction log (interface 8); only lines that move money have a gross. */
const transactionCells = (line: LogLine, settlementId: string | null): readonly string[] => {
  const { currency, charge } = line
  const money = (minor: number) => formatAmount(minor, currency)
  const gross = charge ? line.amount + line.additionalAmount : 0
  const { fee = 0, interchange = 0, vat = 0, taxcode = null } = charge ?? {}
  return [
    textCell(line.tid),
    textCell(line.subId),
    formatDateTime(line.at),
    line.action,
    line.credit ? 'credit' : '',
    textCell(line.customer),
    currency,
    money(line.amount),
    money(line.additionalAmount),
    money(gross),
    money(fee),
    money(interchange),
    money(vat),
    textCell(taxcode),
    money(gross - fee - interchange - vat),
    textCell(line.merchant),
    charge ? textCell(settlementId) : '',
    '',
    '',
  ]
}

const scopeColumns =
  'rid,timestamp,status,customer,currency,fee,vat,taxcode,merchant_id,settlement_id,' +
  'reserved1,reserved2,reserved3'

const scopeStatus: Readonly<Partial<Record<LineAction, string>>> = {
  permission_request: 'pending',
  permission_answered: 'ok',
  permission_fail: 'fail',
}

/** A line of a scope log (interface 8). */
const scopeCells = (line: LogLine, settlementId: string | null): readonly string[] => {
  const { currency, charge } = line
  const { fee = 0, vat = 0, taxcode = null } = charge ?? {}
  return [
    textCell(line.tid),
    formatDateTime(line.at),
    scopeStatus[line.action] ?? '',
    textCell(line.customer),
    currency,
    formatAmount(fee, currency),
    formatAmount(vat, currency),
    textCell(taxcode),
    textCell(line.merchant),
    charge ? textCell(settlementId) : '',
    '',
    '',
    '',
  ]
}

const kinds = {
  transactions: { columns, cellsOf: transactionCells },
  scopes: { columns: scopeColumns, cellsOf: scopeCells },
} as const

export type LogName = keyof typeof kinds

/** The first line of a log, and what a line of it is; in the current format, or the first. */
export const textsOf = (name: LogName, isFirst = false) => {
  const { columns, cellsOf } = kinds[name]
  return {
    columns: isFirst ? columns : columns + laterColumns,
    lineText: (line: LogLine, settlementId: string | null): string => {
      const cells = cellsOf(line, settlementId)
      return (isFirst ? cells : [...cells, ...laterCells(line)]).join(',')
    },
  }
}

type LogKind = {
  readonly columns: string
  readonly textOf: (line: LogLine) => string
  /** Write a file even without lines. */
  readonly isAlwaysThere: boolean
}

/** The first transaction of each file: files are split only between transactions. */
const beginnersOf = (counts: SortedLines['counts']): ReadonlySet<string> => {
  const beginners = new Set<string>()
  let inFile = Infinity
  for (const [tid, lines] of counts) {
    if (inFile + lines > linesPerFile) {
      beginners.add(tid)
      inFile = 0
    }
    inFile += lines
  }
  return beginners
}

/**
 * Writes sorted lines, split into files between transactions. The splits are computed first, so
 * that lines can be streamed.
 */
const writeFiles = (
  draftFile: string | null,
  { counts, lines }: SortedLines,
  { columns, textOf, isAlwaysThere }: LogKind,
): LogFile[] => {
  const beginners = beginnersOf(counts)
  const files: LogFile[] = []
  let draft: ReturnType<typeof openDraft> | undefined
  let tid: string | undefined
  const finish = (): void => {
    if (draft) files.push(draft.finish())
    draft = undefined
  }
  try {
    for (const line of lines) {
      if (line.tid !== tid && beginners.has(line.tid)) finish()
      tid = line.tid
      draft ??= openDraft(draftFile, columns)
      draft.add(textOf(line))
    }
    if (isAlwaysThere) draft ??= openDraft(draftFile, columns)
    finish()
  } catch (error) {
    draft?.abandon()
    throw error
  }
  return files
}

/**
 * Writes transaction logs and scope logs, and returns their totals. The totals exclude the
 * settlement's fee, which the settlement adds itself. Without a draft file nothing is written.
 */
export const writeLogs = (
  draftFile: string | null,
  { ofPayments, ofPermissions }: Readonly<Record<'ofPayments' | 'ofPermissions', SortedLines>>,
  settlementIdOf: (line: LogLine) => string | null,
  format = logFormat,
): Completion => {
  const isFirst = format === 1
  let counters: Counters = {}
  let totals: Totals = []
  function* addedUp(lines: Iterable<LogLine>) {
    for (const line of lines) {
      if (line.action !== 'fee') {
        counters = countLine(counters, line)
        totals = addLine(totals, line)
      }
      yield line
    }
  }
  const write = ({ counts, lines }: SortedLines, name: LogName, isAlwaysThere: boolean) => {
    const { columns, lineText } = textsOf(name, isFirst)
    const textOf = (line: LogLine): string => lineText(line, settlementIdOf(line))
    const kind = { columns, textOf, isAlwaysThere }
    return writeFiles(draftFile, { counts, lines: addedUp(lines) }, kind)
  }
  const transactionLogs = write(ofPayments, 'transactions', true)
  const scopeLogs = write(ofPermissions, 'scopes', false)
  const files = { transactionLogs, scopeLogs }
  return { counters, totals: [...totals], ...files, ...(!isFirst && { format }) }
}
