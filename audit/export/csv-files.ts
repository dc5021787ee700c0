import type { AccountBalance, JournalEntry } from './journal-entries.ts'
import type { DraftFile } from './draft-file.ts'
import { formatAmount, type Sum, negated } from '../../domain/money/money.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'

export const journalColumns =
  'position,day,timestamp,payee,action,ledger,tid,sub_id,pos_tid,settlement_id,message_id,' +
  'account,merchant_id,currency,debit,credit'

export const sides = (amount: Sum, currency: string): readonly [string, string] =>
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
