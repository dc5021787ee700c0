import { create } from 'xmlbuilder2'
import { formatDateTime } from '../../application/date-time.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { dayOf } from '../../domain/time.ts'
import { textOf, xmlLines } from '../../infrastructure/bank/read-xml.ts'
import { type AccountBalance, type JournalEntry, chart, saftNumber } from './journal-entries.ts'
import type { DraftFile } from './draft-file.ts'
import { balancesOf, customerId, customersOf, onSide, taxOf, taxTable } from './saf-t-masters.ts'

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
  readonly findMerchant: (id: string) => MerchantData | undefined
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

const accountElement = (balance: AccountBalance) => {
  const { account, merchant } = balance
  const { description, category, code } = chart[account]
  return {
    AccountID: saftNumber(balance),
    AccountDescription: textOf(`${description} ${merchant ?? ''}`, 256),
    GroupingCategory: category,
    GroupingCode: code,
    AccountType: 'GL',
    ...balancesOf(balance),
  }
}

const lineElement = (
  entry: Pick<JournalEntry, 'at' | 'action' | 'tags' | 'postings'>,
  posting: JournalEntry['postings'][number],
  id: number,
) => {
  const { account, merchant, amount, currency } = posting
  const { at, action, tags, postings } = entry
  const { name, amount: Amount } = onSide('', 'Amount', amount, currency)
  const document = tags.tid ?? tags.settlement
  return {
    RecordID: String(id),
    AccountID: saftNumber(posting),
    ...(document !== null && { SourceDocumentID: textOf(document, 35) }),
    ...(merchant !== null && { CustomerID: customerId(merchant) }),
    Description: textOf([action, tags.sub_id].filter(Boolean).join(' '), 256),
    [name]: { Amount },
    ...(account === 'fee_income' && taxOf(postings, currency)),
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
    Line: postings.map((posting, index) => lineElement({ ...entry, postings }, posting, index + 1)),
  }
}

const transactionsHere = '<Transaction/>'

const depth = 3

/** The journal of one currency as a Norwegian SAF-T file, with merchants as its customers. */
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
          MasterFiles: {
            GeneralLedgerAccounts: { Account: accounts.map(accountElement) },
            ...customersOf(accounts, given.findMerchant),
            ...taxTable,
          },
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
