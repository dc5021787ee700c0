import { createHash, randomUUID } from 'node:crypto'
import { close, closeSync, fsync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Completion, LogFile } from '../domain/ledger.ts'
import { formatAmount } from '../domain/money.ts'
import { sumLines, type Counters, type TransactionLine } from '../domain/transaction-line.ts'
import { textCell } from './csv.ts'

/** Lines in a file, unless one transaction alone has more (decisions 8). */
export const linesPerFile = 50_000

const columns =
  'tid,sub_id,timestamp,action,type,customer,currency,amount,additional_amount,gross,fee,interchange,vat,taxcode,' +
  'net,merchant_id,settlement_id,reserved1,reserved2'

/** Remembers the text of the value asked for last: neighbouring lines mostly share it. */
const lately = <Value extends string | number | null>(textOf: (value: Value) => string) => {
  let last: Value | undefined
  let text = ''
  return (value: Value): string => {
    if (value === last) return text
    last = value
    return (text = textOf(value))
  }
}

const dateTime = lately((at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' '))
const merchantCell = lately(textCell)
const taxcodeCell = lately(textCell)
const customerCell = lately(textCell)
const settlementCell = lately(textCell)
const noMoney = lately((currency: string) => formatAmount(0, currency))

const money = (minor: number, currency: string): string =>
  minor === 0 ? noMoney(currency) : formatAmount(minor, currency)

// A function made for each line would cost more than the line.
const aboutCells = (line: TransactionLine): string =>
  `${textCell(line.tid)},${textCell(line.subId)},${dateTime(line.at)},${line.action},` +
  `${line.credit ? 'credit' : ''},${customerCell(line.customer)},${line.currency},` +
  `${money(line.amount, line.currency)},${money(line.additionalAmount, line.currency)}`

/** A line of a transaction log as text (decisions 8); only what moves money has a gross. */
export const transactionLogLine = (line: TransactionLine, settlementId: string | null): string => {
  const { currency, charge } = line
  const merchant = merchantCell(line.merchant)
  if (!charge) {
    const zero = noMoney(currency)
    return `${aboutCells(line)},${zero},${zero},${zero},${zero},,${zero},${merchant},,,`
  }
  const gross = line.amount + line.additionalAmount
  const { fee, interchange, vat } = charge
  const net = gross - fee - interchange - vat
  return (
    `${aboutCells(line)},${money(gross, currency)},${money(fee, currency)},` +
    `${money(interchange, currency)},${money(vat, currency)},${taxcodeCell(charge.taxcode)},` +
    `${money(net, currency)},${merchant},${settlementCell(settlementId)},,`
  )
}

const bufferedCharacters = 1 << 18

const [flushed, closed] = [promisify(fsync), promisify(close)]

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
    finish(): { readonly log: LogFile; readonly kept: Promise<void> } {
      flush()
      const sha256 = hash.digest('hex')
      // A name stands only for bytes that are durable: a cut of power leaves no torn file behind it.
      const keep = async (): Promise<void> => {
        await flushed(file)
        await closed(file)
        await rename(draft, join(directory, `${sha256}.csv`))
      }
      return { log: { sha256, lines, bytes }, kept: keep() }
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
export const writeTransactionLogs = async (
  directory: string,
  lines: Iterable<TransactionLine>,
  settlementIdOf: (line: TransactionLine) => string | null,
): Promise<Completion> => {
  const transactionLogs: LogFile[] = []
  const kept: Promise<void>[] = []
  const counters: Counters = {}
  const sums = sumLines()
  let draft = openDraft(directory)
  draft.add(columns, false)
  let transaction: string[] = []
  let tid: string | undefined

  const finishFile = (): void => {
    const file = draft.finish()
    transactionLogs.push(file.log)
    kept.push(file.kept)
  }

  const finishTransaction = (): void => {
    if (draft.lines() > 0 && draft.lines() + transaction.length > linesPerFile) {
      finishFile()
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
      counters[line.action] = (counters[line.action] ?? 0) + 1
      sums.add(line)
    }
    finishTransaction()
    finishFile()
  } catch (error) {
    draft.abandon()
    await Promise.allSettled(kept)
    throw error
  }
  await Promise.all(kept)
  return { counters, totals: sums.totals(), transactionLogs }
}
