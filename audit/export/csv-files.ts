import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import type { AccountBalance, JournalEntry } from './journal-entries.ts'
import { formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'

const bufferedCharacters = 1 << 18

export type ExportedFile = {
  readonly name: string
  readonly bytes: number
  /** Hexadecimal, as sha256sum prints it. */
  readonly sha256: string
}

/** A file of an export, hashed while it is written. */
export const openDraftFile = (path: string) => {
  const file = openSync(path, 'wx')
  const hash = createHash('sha256')
  let [buffer, bytes, isOpen] = ['', 0, true]
  const write = (content: Uint8Array): void => {
    hash.update(content)
    bytes += content.length
    for (let written = 0; written < content.length;) written += writeSync(file, content, written)
  }
  const flush = (): void => {
    write(Buffer.from(buffer))
    buffer = ''
  }
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    add: (text: string): void => {
      buffer += text
      if (buffer.length >= bufferedCharacters) flush()
    },
    addBytes: (content: Uint8Array): void => {
      flush()
      write(content)
    },
    finish: (): ExportedFile => {
      flush()
      fsyncSync(file)
      close()
      return { name: basename(path), bytes, sha256: hash.digest('hex') }
    },
    /** Has no effect once it is finished. */
    close,
  }
}

export type DraftFile = ReturnType<typeof openDraftFile>

export const journalColumns =
  'position,day,timestamp,payee,action,ledger,tid,sub_id,pos_tid,settlement_id,message_id,' +
  'account,merchant_id,currency,debit,credit'

const sides = (amount: Sum, currency: string): readonly [string, string] =>
  amount.startsWith('-')
    ? ['', formatAmount(negated(amount), currency)]
    : [formatAmount(amount, currency), '']

/** One row per posting. */
export const journalRows = (entry: Omit<JournalEntry, 'actor'>): string => {
  const { position, day, at, payee, action, tags, postings } = entry
  const { ledger, tid, sub_id, pos_tid, settlement, message } = tags
  const about = [payee, action, ledger, tid, sub_id, pos_tid, settlement, message]
  const cells = [position, day, formatDateTime(at), ...about.map((text) => textCell(text ?? ''))]
  const rows = postings.map(({ account, merchant, currency, amount }) =>
    [...cells, account, textCell(merchant), currency, ...sides(amount, currency)].join(','),
  )
  return rows.map((row) => `${row}\n`).join('')
}

export const journalCsv = (file: DraftFile) => {
  file.add(`${journalColumns}\n`)
  return { add: (entry: JournalEntry): void => file.add(journalRows(entry)) }
}

/** One row per account. A credit balance is negative. */
export const trialBalanceCsv = (file: DraftFile, balances: readonly AccountBalance[]): void => {
  file.add('account,merchant_id,currency,opening,debit,credit,closing\n')
  for (const { account, merchant, currency, opening, debit, credit, closing } of balances) {
    const sums = [opening, debit, credit, closing].map((sum) => formatAmount(sum, currency))
    file.add(`${[account, textCell(merchant), currency, ...sums].join(',')}\n`)
  }
}
