import { formatDateTime } from '../../application/date-time.ts'
import type { Completion, LogFile } from '../../domain/accounting/completion.ts'
import { addLine, type Counters, countLine, type Totals } from '../../domain/accounting/totals.ts'
import type { LineAction, TransactionLine } from '../../domain/accounting/transaction-line.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { textCell } from './csv.ts'
import { openDraft } from './log-draft.ts'

/** Lines in a file, unless one transaction alone has more (decisions 8). */
export const linesPerFile = 50_000

const columns =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,taxcode,' +
  'net,merchant_id,settlement_id,reserved1,reserved2'

/** A line of a transaction log as text (decisions 8); only what moves money has a gross. */
const transactionLogLine = (line: TransactionLine, settlementId: string | null): string => {
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
  ].join(',')
}

const scopeColumns =
  'rid,timestamp,status,customer,currency,fee,vat,taxcode,merchant_id,settlement_id,reserved1,reserved2,reserved3'

const scopeStatus: Readonly<Partial<Record<LineAction, string>>> = {
  permission_request: 'pending',
  permission_answered: 'ok',
  permission_fail: 'fail',
}

/** A line of a scope log as text (decisions 8). */
export const scopeLogLine = (line: TransactionLine, settlementId: string | null): string => {
  const { currency, charge } = line
  const { fee = 0, vat = 0, taxcode = null } = charge ?? {}
  return [
    textCell(line.tid),
    formatDateTime(line.at),
    scopeStatus[line.action],
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
  ].join(',')
}

/** Lines sorted by tid or rid and then by time, and how many there are of each. */
export type SortedLines = {
  readonly counts: Iterable<readonly [tid: string, lines: number]>
  readonly lines: Iterable<TransactionLine>
}

type LogKind = {
  readonly columns: string
  readonly textOf: (line: TransactionLine) => string
  /** Whether there is a file even if nothing stands in it but the names of the columns. */
  readonly isAlwaysThere: boolean
}

/** The transactions that begin a file: one holds as many as there is room for, or one alone that has more lines. */
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
 * Log files of lines that come sorted, split between transactions. Where they are split is known beforehand, so that
 * each line goes out as it comes, however many of one transaction follow it.
 */
const writeFiles = (
  draftFile: string,
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
 * Writes the transaction logs and the scope logs of sorted lines, and answers what all of them add up to. The file under
 * way has a name of its own; those that are whole lie beside it.
 */
export const writeLogs = (
  draftFile: string,
  { ofPayments, ofPermissions }: Readonly<Record<'ofPayments' | 'ofPermissions', SortedLines>>,
  settlementIdOf: (line: TransactionLine) => string | null,
): Completion => {
  let counters: Counters = {}
  let totals: Totals = []
  function* addedUp(lines: Iterable<TransactionLine>) {
    for (const line of lines) {
      counters = countLine(counters, line)
      totals = addLine(totals, line)
      yield line
    }
  }
  const adding = ({ counts, lines }: SortedLines) => ({ counts, lines: addedUp(lines) })
  const transactionLogs = writeFiles(draftFile, adding(ofPayments), {
    columns,
    textOf: (line) => transactionLogLine(line, settlementIdOf(line)),
    isAlwaysThere: true,
  })
  const scopeLogs = writeFiles(draftFile, adding(ofPermissions), {
    columns: scopeColumns,
    textOf: (line) => scopeLogLine(line, settlementIdOf(line)),
    isAlwaysThere: false,
  })
  return { counters, totals: [...totals], transactionLogs, scopeLogs }
}
