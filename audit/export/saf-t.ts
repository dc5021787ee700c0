import { create } from 'xmlbuilder2'
import { formatDateTime } from '../../application/date-time.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { dayOf } from '../../domain/time.ts'
import { textOf, xmlLines } from '../../infrastructure/bank/read-xml.ts'
import { type AccountBalance, type JournalEntry, chart, saftNumber } from './journal-entries.ts'
import type { DraftFile } from './draft-file.ts'

/** The company whose books these are. */
export type Company = {
  readonly name: string
  readonly registrationNumber: string
  readonly contact: string
}

export type SaftHeader = {
  readonly company: Company
  readonly version: string
  /** Days in UTC. */
  readonly created: string
  readonly from: string
  readonly to: string
}

const namespace = 'urn:StandardAuditFile-Taxation-Financial:NO'

/** Maximum of the format (SAFmonetaryType). */
export const saftDecimals = 2

const header = ({ company, version, created, from, to }: SaftHeader, currency: string) => ({
  AuditFileVersion: '1.30',
  AuditFileCountry: 'NO',
  AuditFileDateCreated: created,
  SoftwareCompanyName: 'daybook',
  SoftwareID: 'daybook',
  SoftwareVersion: textOf(version, 18),
  Company: {
    RegistrationNumber: textOf(company.registrationNumber, 35),
    Name: textOf(company.name, 256),
    // The schema requires this for undivided names.
    Contact: {
      ContactPerson: { FirstName: 'NotUsed', LastName: textOf(company.contact, 70) },
    },
  },
  DefaultCurrencyCode: currency,
  SelectionCriteria: { SelectionStartDate: from, SelectionEndDate: to },
  HeaderComment: `General ledger of ${currency}; days in UTC`,
  TaxAccountingBasis: 'A',
})

/** An element whose name depends on the side (debit or credit) of a sum. */
const onSide = (prefix: string, suffix: string, sum: Sum, currency: string) => {
  const isCredit = sum.startsWith('-')
  const amount = formatAmount(isCredit ? negated(sum) : sum, currency)
  return { name: `${prefix}${isCredit ? 'Credit' : 'Debit'}${suffix}`, amount }
}

const accountElement = (balance: AccountBalance) => {
  const { account, merchant, currency, opening, closing } = balance
  const { description, category, code } = chart[account]
  const before = onSide('Opening', 'Balance', opening, currency)
  const after = onSide('Closing', 'Balance', closing, currency)
  return {
    AccountID: saftNumber(balance),
    AccountDescription: textOf(`${description} ${merchant ?? ''}`, 256),
    GroupingCategory: category,
    GroupingCode: code,
    AccountType: 'GL',
    [before.name]: before.amount,
    [after.name]: after.amount,
  }
}

const lineElement = (
  entry: JournalEntry,
  posting: JournalEntry['postings'][number],
  id: number,
) => {
  const { amount, currency } = posting
  const { at, action, tags } = entry
  const { name, amount: Amount } = onSide('', 'Amount', amount, currency)
  const document = tags.tid ?? tags.settlement
  return {
    RecordID: String(id),
    AccountID: saftNumber(posting),
    ...(document !== null && { SourceDocumentID: textOf(document, 35) }),
    Description: textOf([action, tags.sub_id].filter(Boolean).join(' '), 256),
    [name]: { Amount },
    SystemEntryTime: formatDateTime(at).replace(' ', 'T'),
  }
}

const transactionElement = (entry: JournalEntry, postings: JournalEntry['postings']) => {
  const { position, day, at, actor, payee, action } = entry
  return {
    TransactionID: String(position),
    Period: String(Number(day.slice(5, 7))),
    PeriodYear: day.slice(0, 4),
    TransactionDate: day,
    SourceID: textOf(actor, 35),
    VoucherType: action,
    TransactionType: 'Normal',
    Description: textOf(`${action}, ${payee}`, 256),
    SystemEntryDate: dayOf(at),
    GLPostingDate: day,
    SystemID: String(position),
    Line: postings.map((posting, index) => lineElement(entry, posting, index + 1)),
  }
}

const transactionsHere = '<Transaction/>'

const depth = 3

/** The journal of one currency as a Norwegian SAF-T file, general ledger only. */
export const saftLedger = (body: DraftFile, currency: string) => {
  let [count, debit, credit]: [number, Sum, Sum] = [0, '0', '0']
  return {
    add: (entry: JournalEntry): void => {
      const postings = entry.postings.filter((posting) => posting.currency === currency)
      if (postings.length === 0) return
      body.add(xmlLines({ Transaction: transactionElement(entry, postings) }, depth))
      count += 1
      for (const { amount } of postings)
        if (amount.startsWith('-')) credit = addUp(credit, negated(amount))
        else debit = addUp(debit, amount)
    },
    /** The parts before and after the transactions. */
    frame: (given: SaftHeader, balances: readonly AccountBalance[]): readonly [string, string] => {
      const accounts = balances.filter((balance) => balance.currency === currency)
      const document = {
        AuditFile: {
          '@xmlns': namespace,
          Header: header(given, currency),
          MasterFiles: { GeneralLedgerAccounts: { Account: accounts.map(accountElement) } },
          GeneralLedgerEntries: {
            NumberOfEntries: String(count),
            TotalDebit: formatAmount(debit, currency),
            TotalCredit: formatAmount(credit, currency),
            Journal: {
              ...{ JournalID: 'daybook', Description: 'Payments and payouts', Type: 'A' },
              Transaction: '',
            },
          },
        },
      }
      const text = create({ version: '1.0', encoding: 'UTF-8' }, document).end({
        prettyPrint: true,
      })
      const [head = '', tail = ''] = text.split(transactionsHere)
      return [`${head.trimEnd()}\n`, `${tail.slice(1)}\n`]
    },
  }
}
