import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount, type Sum } from '../../domain/money/money.ts'
import type { JournalBalance } from '../../projections/journal.ts'
import { ledgerName } from './chart.ts'
import type { DraftFile } from './draft-file.ts'
import { entryTags } from '../../domain/accounting/journal-entry.ts'
import type { JournalEntry } from './journal-entries.ts'

const hex = (text: string): string =>
  Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&')

/** Encodes characters that would end a tag's value or make it a date. */
const tagValue = (text: string): string => text.replaceAll(/[\p{C}\p{Z}%,[\]]/gu, hex)

/** A payee is one line without characters that start a comment or a note. */
const payeeText = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(';', ',')
    .replaceAll('|', '/')
    .trim() || '-'

const money = (amount: Sum, currency: string): string =>
  `${formatAmount(amount, currency)} ${currency}`

type Posted = Pick<JournalBalance, 'account' | 'merchant' | 'currency'>

const posting = (account: Posted, amount: string): string =>
  `    ${ledgerName(account).padEnd(44)}  ${amount}\n`

/** hledger rejects a format without decimals, ledger one that ends in a point. */
const commodity = (code: string): string => {
  const format = decimalsOf(code) === 0 ? '' : `    format ${money('100000', code)}\n`
  return `commodity ${code}\n${format}\n`
}

const tagNames = ['action', ...entryTags, 'actor']

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

const declarations = (balances: readonly JournalBalance[]): string => {
  const commodities = distinct(balances.map(({ currency }) => currency))
  const accounts = distinct(balances.map(ledgerName))
  return [
    ...commodities.map(commodity),
    ...accounts.map((name) => `account ${name}\n`),
    '\n',
    ...tagNames.map((name) => `tag ${name}\n`),
  ].join('')
}

/** A journal for hledger and ledger. */
export const plainLedger = (
  file: DraftFile,
  opening: readonly JournalBalance[],
  closing: readonly JournalBalance[],
) => {
  file.add(declarations(closing))

  return {
    /** Call before the first entry. */
    open: (day: string): void => {
      const brought = opening.filter(({ balance }) => balance !== '0')
      if (brought.length === 0) return
      file.add(`\n${day} * Opening balances\n`)
      for (const row of brought) file.add(posting(row, money(row.balance, row.currency)))
    },
    add: ({ position, day, payee, action, actor, tags, postings }: JournalEntry): void => {
      file.add(`\n${day} * (${position}) ${payeeText(payee)}\n    ; action: ${action}\n`)
      for (const [name, value] of Object.entries({ ...tags, actor }))
        if (value !== null && value !== '') file.add(`    ; ${name}: ${tagValue(value)}\n`)
      for (const one of postings) file.add(posting(one, money(one.amount, one.currency)))
    },
    /** Asserts every account's balance, so that any reader of the file verifies its sums. */
    close: (day: string): void => {
      if (closing.length === 0) return
      file.add(`\n${day} * Closing balances\n`)
      for (const row of closing) {
        const { balance, currency } = row
        file.add(posting(row, `${money('0', currency)} = ${money(balance, currency)}`))
      }
    },
  }
}
