import {
  formatAmount,
  negated,
  portionOf,
  addUp,
  type Rate,
  type Sum,
} from '../../domain/money/money.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { payoutAddress } from '../../infrastructure/bank/payout-account.ts'
import { textOf, xmlLines } from '../../infrastructure/bank/read-xml.ts'
import { saftNumber, chart, type AccountBalance, type JournalEntry } from './journal-entries.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { dayOf } from '../../domain/time.ts'
import type { DraftFile } from './csv-files.ts'

/** An element whose name depends on the side (debit or credit) of a sum. */
const onSide = (prefix: string, suffix: string, sum: Sum, currency: string) => {
  const isCredit = sum.startsWith('-')
  const amount = formatAmount(isCredit ? negated(sum) : sum, currency)
  return { name: `${prefix}${isCredit ? 'Credit' : 'Debit'}${suffix}`, amount }
}

/** Elements of an account's balances before and after the period. */
const balancesOf = ({ opening, closing, currency }: AccountBalance) => {
  const before = onSide('Opening', 'Balance', opening, currency)
  const after = onSide('Closing', 'Balance', closing, currency)
  return { [before.name]: before.amount, [after.name]: after.amount }
}

const longestId = 35

/** A merchant's id as SAF-T takes it; longer ones end in a hash. */
const customerId = (merchant: string): string => {
  if (merchant.length <= longestId) return merchant
  const hash = Buffer.from(sha256(Buffer.from(merchant))).toString('hex')
  return `${merchant.slice(0, longestId - 9)}-${hash.slice(0, 8)}`
}

const addressOf = (data: MerchantData) => {
  const found = payoutAddress(data)
  if (!found) return {}
  const [street, more] = found.lines
  return {
    Address: {
      ...(street !== undefined && { StreetName: textOf(street, 256) }),
      ...(more !== undefined && { AdditionalAddressDetail: textOf(more, 256) }),
      City: textOf(found.town, 256),
      ...(found.postCode !== null && { PostalCode: textOf(found.postCode, 70) }),
      Country: found.country,
    },
  }
}

/** Merchants with balances: each with the accounts that are its own. */
const customersOf = (
  accounts: readonly AccountBalance[],
  find: (merchant: string) => MerchantData | undefined,
) => {
  const merchants = new Set(accounts.flatMap(({ merchant }) => merchant ?? []))
  const Customer = [...merchants].sort().map((merchant) => {
    const data = find(merchant)
    const own = accounts.filter((one) => one.merchant === merchant)
    return {
      ...(data?.organizationId && { RegistrationNumber: textOf(data.organizationId, 35) }),
      Name: textOf(data?.businessName ?? merchant, 256),
      ...(data && addressOf(data)),
      CustomerID: customerId(merchant),
      BalanceAccount: own.map((one) => ({ AccountID: saftNumber(one), ...balancesOf(one) })),
    }
  })
  return Customer.length === 0 ? {} : { Customers: { Customer } }
}

type TaxCode = {
  readonly code: string
  readonly rate: Rate
  /** Skatteetaten's, for output VAT. */
  readonly standard: string
  readonly description: string
}

/** The standard codes of what is sold. Payment services are outside the VAT act. */
const taxCodes: readonly TaxCode[] = [
  { code: '6', rate: '0', standard: '6', description: 'Outside the VAT act' },
  { code: '3', rate: '0.25', standard: '3', description: 'Output VAT, regular rate' },
  { code: '31', rate: '0.15', standard: '31', description: 'Output VAT, reduced rate, middle' },
  { code: '33', rate: '0.12', standard: '33', description: 'Output VAT, reduced rate, low' },
]

/** VAT at any other rate, as of another country. */
const otherCode: TaxCode = {
  code: 'NA',
  rate: '0',
  standard: 'NA',
  description: 'VAT at a rate that has no standard code',
}

const percentOf = (rate: Rate): string => String(portionOf(100, rate))

const taxTable = {
  TaxTable: {
    TaxTableEntry: {
      TaxType: 'MVA',
      Description: 'Merverdiavgift',
      TaxCodeDetails: [...taxCodes, otherCode].map(({ code, rate, standard, description }) => ({
        TaxCode: code,
        Description: description,
        TaxPercentage: percentOf(rate),
        Country: 'NO',
        StandardTaxCode: standard,
        BaseRate: '100',
      })),
    },
  },
}

/** Fee and VAT of a partial refund are rounded apart, and so may differ by one minor unit. */
const codeOf = (fee: number, vat: number): TaxCode => {
  const within = (most: number) =>
    taxCodes.find(({ rate }) => Math.abs(portionOf(fee, rate) - vat) <= most)
  return within(0) ?? within(1) ?? otherCode
}

/** The tax on an entry's fees in one currency, for the line of the fees. */
const taxOf = (postings: JournalEntry['postings'], currency: string) => {
  const of = (account: string) => postings.find((one) => one.account === account)?.amount ?? '0'
  const [fee, vat] = [of('fee_income'), of('vat')]
  const [base, tax] = [negated(fee), negated(vat)]
  const { code, rate } = codeOf(Number(base), Number(tax))
  const { name, amount } = onSide('', 'TaxAmount', vat === '0' ? fee : vat, currency)
  return {
    TaxInformation: {
      TaxType: 'MVA',
      TaxCode: code,
      TaxPercentage: percentOf(rate),
      Country: 'NO',
      TaxBase: formatAmount(base.replace('-', ''), currency),
      [name]: { Amount: vat === '0' ? formatAmount('0', currency) : amount },
    },
  }
}

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

const transactionsMark = '<Transaction></Transaction>'

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
    frame: (about: SaftHeader, balances: readonly AccountBalance[]): readonly [string, string] => {
      const accounts = balances.filter((balance) => balance.currency === currency)
      const parts = xmlLines(
        {
          Header: header(about, currency),
          MasterFiles: {
            GeneralLedgerAccounts: { Account: accounts.map(accountElement) },
            ...customersOf(accounts, about.findMerchant),
            ...taxTable,
          },
          GeneralLedgerEntries: {
            NumberOfEntries: String(count),
            TotalDebit: formatAmount(debit, currency),
            TotalCredit: formatAmount(credit, currency),
            Journal: {
              JournalID: 'daybook',
              Description: 'Payments and payouts',
              Type: 'A',
              Transaction: '',
            },
          },
        },
        1,
      )
      const [head = '', tail = ''] = parts.split(transactionsMark)
      const begin = `<?xml version="1.0" encoding="UTF-8"?>\n<AuditFile xmlns="${namespace}">\n`
      return [`${begin}${head.trimEnd()}\n`, `${tail.slice(1)}</AuditFile>\n`]
    },
  }
}
