import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { JournalBalance } from '../../projections/journal.ts'
import {
  accountBalances,
  type AccountBalance,
  type JournalEntry,
  ledgerName,
} from './journal-entries.ts'
import {
  openDraftFile,
  type DraftFile,
  type ExportedFile,
  journalCsv,
  trialBalanceCsv,
} from './csv-files.ts'
import { saftDecimals, saftLedger, type SaftHeader } from './saf-t.ts'
import { formatAmount, type Sum } from '../../domain/money/money.ts'
import { entryTags } from '../../domain/accounting/journal.ts'

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
const plainLedger = (
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

const chunkBytes = 1 << 20

const appendFile = (file: DraftFile, path: string): void => {
  const source = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let read; (read = readSync(source, chunk)) > 0;) file.addBytes(chunk.subarray(0, read))
  } finally {
    closeSync(source)
  }
}

/**
 * A SAF-T file starts with its totals, so its transactions are first written to a separate file.
 */
const saftFile = (folder: string, currency: string, open: (name: string) => DraftFile) => {
  const name = `saf-t-${currency}.xml`
  const bodyName = `${name}.transactions`
  const body = open(bodyName)
  const { add, frame } = saftLedger(body, currency)
  return {
    add,
    finish: (header: SaftHeader, balances: readonly AccountBalance[]): ExportedFile => {
      body.finish()
      const file = open(name)
      const [head, tail] = frame(header, balances)
      file.add(head)
      appendFile(file, join(folder, bodyName))
      rmSync(join(folder, bodyName))
      file.add(tail)
      return file.finish()
    },
  }
}

type WrittenJournal = {
  readonly files: readonly ExportedFile[]
  readonly balances: readonly AccountBalance[]
  readonly entries: number
  /** Currencies without a SAF-T file. */
  readonly beyondSaft: readonly string[]
}

const currenciesOf = (balances: readonly JournalBalance[]): readonly string[] =>
  [...new Set(balances.map(({ currency }) => currency))].sort()

/** Writes the journal of a period in each format, entry by entry. */
export const writeJournal = (
  folder: string,
  opening: readonly JournalBalance[],
  closing: readonly JournalBalance[],
) => {
  const opened: DraftFile[] = []
  const open = (name: string): DraftFile => {
    const file = openDraftFile(join(folder, name))
    opened.push(file)
    return file
  }
  const currencies = currenciesOf(closing)
  const inSaft = currencies.filter((code) => decimalsOf(code) <= saftDecimals)
  const [ledgerFile, csvFile] = [open('journal.ledger'), open('journal.csv')]
  const ledger = plainLedger(ledgerFile, opening, closing)
  const csv = journalCsv(csvFile)
  const safts = inSaft.map((currency) => saftFile(folder, currency, open))
  const balances = accountBalances(opening, closing)
  let entries = 0

  return {
    open: ledger.open,
    add: (entry: JournalEntry): void => {
      entries += 1
      for (const writer of [balances, ledger, csv, ...safts]) writer.add(entry)
    },
    finish: (lastDay: string, header: SaftHeader): WrittenJournal => {
      ledger.close(lastDay)
      const all = balances.all()
      const trialFile = open('trial-balance.csv')
      trialBalanceCsv(trialFile, all)
      const files = [
        ...[ledgerFile.finish(), csvFile.finish(), trialFile.finish()],
        ...safts.map((saft) => saft.finish(header, all)),
      ]
      const beyondSaft = currencies.filter((code) => !inSaft.includes(code))
      return { files, balances: all, entries, beyondSaft }
    },
    close: (): void => {
      for (const file of opened) file.close()
    },
  }
}
