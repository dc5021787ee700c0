import { createHash, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Completion, LogFile } from '../domain/ledger.ts'
import { formatAmount } from '../domain/money.ts'
import {
  addLine,
  countLine,
  type Counters,
  type Totals,
  type TransactionLine,
} from '../domain/transaction-line.ts'
import { textCell } from './csv.ts'

/** Lines in a file, unless one transaction alone has more (decisions 8). */
export const linesPerFile = 50_000

const columns =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,taxcode,' +
  'net,merchant_id,settlement_id,reserved1,reserved2'

const timestamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** A line of a transaction log as text (decisions 8); only what moves money has a gross. */
export const transactionLogLine = (line: TransactionLine, settlementId: string | null): string => {
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

const bufferedCharacters = 1 << 18

/** One file under a name of its own until it is whole; then it is named by the hash of its bytes. */
const openDraft = (directory: string) => {
  mkdirSync(directory, { recursive: true })
  const draft = join(directory, `${randomUUID()}.draft`)
  const file = openSync(draft, 'wx')
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

/**
 * Writes the log files of lines that come sorted by tid and then by time, split between transactions. There is always
 * one, if only with the names of the columns. Only the lines of one transaction are held in memory.
 */
export const writeTransactionLogs = (
  directory: string,
  lines: Iterable<TransactionLine>,
  settlementIdOf: (line: TransactionLine) => string | null,
): Completion => {
  const transactionLogs: LogFile[] = []
  let counters: Counters = {}
  let totals: Totals = []
  let draft = openDraft(directory)
  draft.add(columns, false)
  let transaction: string[] = []
  let tid: string | undefined

  const finishTransaction = (): void => {
    if (draft.lines() > 0 && draft.lines() + transaction.length > linesPerFile) {
      transactionLogs.push(draft.finish())
      draft = openDraft(directory)
      draft.add(columns, false)
    }
    for (const text of transaction) draft.add(text)
    transaction = []
  }

  try {
    for (const line of lines) {
      if (line.tid !== tid) finishTransaction()
      tid = line.tid
      transaction.push(transactionLogLine(line, settlementIdOf(line)))
      counters = countLine(counters, line)
      totals = addLine(totals, line)
    }
    finishTransaction()
    transactionLogs.push(draft.finish())
  } catch (error) {
    draft.abandon()
    throw error
  }
  return { counters, totals: [...totals], transactionLogs }
}
