import { createHash } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Completion, LogFile } from '../../domain/accounting/ledger.ts'
import {
  addLine,
  countLine,
  type Counters,
  type LineAction,
  type Totals,
  type TransactionLine,
} from '../../domain/accounting/transaction-line.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { textCell } from './csv.ts'

/** Lines in a file, unless one transaction alone has more (decisions 8). */
export const linesPerFile = 50_000

const columns =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,taxcode,' +
  'net,merchant_id,settlement_id,reserved1,reserved2'

const timestamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** A line of a transaction log as text (decisions 8); only what moves money has a gross. */
const transactionLogLine = (line: TransactionLine, settlementId: string | null): string => {
  const { currency, charge } = line
  const money = (minor: number) => formatAmount(minor, currency)
  const gross = charge ? line.amount + line.additionalAmount : 0
  const { fee = 0, interchange = 0, vat = 0, taxcode = null } = charge ?? {}
  return [
    textCell(line.tid),
    textCell(line.subId),
    timestamp(line.at),
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
    timestamp(line.at),
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

const bufferedCharacters = 1 << 18

/** One file under a name of its own until it is whole; then it is named by the hash of its bytes. */
const openDraft = (draft: string) => {
  const directory = dirname(draft)
  mkdirSync(directory, { recursive: true })
  const file = openSync(draft, 'w')
  const hash = createHash('sha256')
  let buffer = ''
  let bytes = 0
  let lines = 0
  const flush = (): void => {
    const content = Buffer.from(buffer)
    buffer = ''
    hash.update(content)
    bytes += content.length
    for (let written = 0; written < content.length;) written += writeSync(file, content, written)
    // What lies unwritten of one file holds up whoever makes another durable: it is never much.
    fdatasyncSync(file)
  }
  return {
    lines: (): number => lines,
    add(text: string, isLine = true): void {
      buffer += `${text}\n`
      if (isLine) lines += 1
      if (buffer.length >= bufferedCharacters) flush()
    },
    finish(): LogFile {
      flush()
      fsyncSync(file)
      closeSync(file)
      const sha256 = hash.digest('hex')
      renameSync(draft, join(directory, `${sha256}.csv`))
      return { sha256, lines, bytes }
    },
    abandon(): void {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

type LogKind = {
  readonly columns: string
  readonly textOf: (line: TransactionLine) => string
  /** Whether there is a file even if nothing stands in it but the names of the columns. */
  readonly isAlwaysThere: boolean
}

/** Log files of lines that come sorted, split between transactions; only one transaction is held in memory. */
const writeFiles = (
  draftFile: string,
  lines: Iterable<TransactionLine>,
  { columns, textOf, isAlwaysThere }: LogKind,
): LogFile[] => {
  const files: LogFile[] = []
  let draft: ReturnType<typeof openDraft> | undefined
  let transaction: string[] = []
  let tid: string | undefined

  const begin = () => {
    draft = openDraft(draftFile)
    draft.add(columns, false)
    return draft
  }
  const finish = (): void => {
    if (draft) files.push(draft.finish())
    draft = undefined
  }
  const finishTransaction = (): void => {
    if (transaction.length === 0) return
    if (draft && draft.lines() + transaction.length > linesPerFile) finish()
    const file = draft ?? begin()
    for (const text of transaction) file.add(text)
    transaction = []
  }

  try {
    for (const line of lines) {
      if (line.tid !== tid) finishTransaction()
      tid = line.tid
      transaction.push(textOf(line))
    }
    finishTransaction()
    if (isAlwaysThere && !draft) begin()
    finish()
  } catch (error) {
    draft?.abandon()
    throw error
  }
  return files
}

/**
 * Writes the transaction logs and the scope logs of lines that come sorted by tid or rid and then by time, and answers
 * what all of them add up to. The file under way has a name of its own; those that are whole lie beside it.
 */
export const writeLogs = (
  draftFile: string,
  lines: {
    readonly ofPayments: Iterable<TransactionLine>
    readonly ofPermissions: Iterable<TransactionLine>
  },
  settlementIdOf: (line: TransactionLine) => string | null,
): Completion => {
  let counters: Counters = {}
  let totals: Totals = []
  function* counted(lines: Iterable<TransactionLine>) {
    for (const line of lines) {
      counters = countLine(counters, line)
      totals = addLine(totals, line)
      yield line
    }
  }
  const transactionLogs = writeFiles(draftFile, counted(lines.ofPayments), {
    columns,
    textOf: (line) => transactionLogLine(line, settlementIdOf(line)),
    isAlwaysThere: true,
  })
  const scopeLogs = writeFiles(draftFile, counted(lines.ofPermissions), {
    columns: scopeColumns,
    textOf: (line) => scopeLogLine(line, settlementIdOf(line)),
    isAlwaysThere: false,
  })
  return { counters, totals: [...totals], transactionLogs, scopeLogs }
}
