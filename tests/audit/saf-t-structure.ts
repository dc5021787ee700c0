import {
  many,
  numbersIn,
  parseXml,
  problemsOf,
  type Element,
  type Node,
} from '../accounting/xml-structure.ts'

const upTo = (most: number): RegExp => new RegExp(`^.{1,${most}}$`, 'su')
const [code, short, middle1, middle2, long] = [9, 18, 35, 70, 256].map(upTo) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
]
const money = /^-?\d{1,16}(\.\d{1,2})?$/
const day = /^\d{4}-\d\d-\d\d$/
const year = /^(19[7-9]\d|20\d\d|2100)$/
const count = /^\d+$/

const person: readonly Element[] = [
  ['FirstName', 1, 1, middle1],
  ['LastName', 1, 1, middle2],
]
const company: readonly Element[] = [
  ['RegistrationNumber', 1, 1, middle1],
  ['Name', 1, 1, long],
  ['Address', 0, many, []],
  ['Contact', 1, many, [['ContactPerson', 1, 1, person]]],
]
const header: readonly Element[] = [
  ['AuditFileVersion', 1, 1, /^1\.30$/],
  ['AuditFileCountry', 1, 1, /^NO$/],
  ['AuditFileDateCreated', 1, 1, day],
  ['SoftwareCompanyName', 1, 1, middle2],
  ['SoftwareID', 1, 1, long],
  ['SoftwareVersion', 1, 1, short],
  ['Company', 1, 1, company],
  ['DefaultCurrencyCode', 1, 1, /^[A-Z]{3}$/],
  [
    'SelectionCriteria',
    1,
    1,
    [
      ['SelectionStartDate', 1, 1, day],
      ['SelectionEndDate', 1, 1, day],
    ],
  ],
  ['HeaderComment', 0, 1, long],
  ['TaxAccountingBasis', 1, 1, /^A$/],
  ['TaxEntity', 0, 1, middle2],
  ['UserID', 0, 1, long],
]
const account: readonly Element[] = [
  ['AccountID', 1, 1, middle2],
  ['AccountDescription', 1, 1, long],
  ['GroupingCategory', 1, 1, long],
  ['GroupingCode', 1, 1, middle1],
  ['AccountType', 1, 1, /^GL$/],
  ['AccountCreationDate', 0, 1, day],
  ['OpeningDebitBalance', 0, 1, money],
  ['OpeningCreditBalance', 0, 1, money],
  ['ClosingDebitBalance', 0, 1, money],
  ['ClosingCreditBalance', 0, 1, money],
]
const amount: readonly Element[] = [['Amount', 1, 1, money]]
const tax: readonly Element[] = [
  ['TaxType', 0, 1, /^MVA$/],
  ['TaxCode', 0, 1, middle2],
  ['TaxPercentage', 0, 1, money],
  ['Country', 0, 1, /^[A-Z]{2}$/],
  ['TaxBase', 0, 1, money],
  ['DebitTaxAmount', 0, 1, amount],
  ['CreditTaxAmount', 0, 1, amount],
]
const balances = account.slice(-4)
const address: readonly Element[] = [
  ['StreetName', 0, 1, long],
  ['AdditionalAddressDetail', 0, 1, long],
  ['City', 0, 1, long],
  ['PostalCode', 0, 1, middle2],
  ['Country', 0, 1, /^[A-Z]{2}$/],
]
const customer: readonly Element[] = [
  ['RegistrationNumber', 0, 1, middle1],
  ['Name', 1, 1, long],
  ['Address', 0, many, address],
  ['CustomerID', 1, 1, middle1],
  ['BalanceAccount', 0, many, [['AccountID', 0, 1, middle2], ...balances]],
]
const taxCode: readonly Element[] = [
  ['TaxCode', 1, 1, middle2],
  ['Description', 0, 1, long],
  ['TaxPercentage', 1, 1, money],
  ['Country', 1, 1, /^[A-Z]{2}$/],
  ['StandardTaxCode', 1, 1, /^[0-9anAN]{1,2}$/],
  ['BaseRate', 1, many, money],
]
const taxEntry: readonly Element[] = [
  ['TaxType', 1, 1, /^MVA$/],
  ['Description', 1, 1, /^Merverdiavgift$/],
  ['TaxCodeDetails', 1, many, taxCode],
]
const line: readonly Element[] = [
  ['RecordID', 1, 1, short],
  ['AccountID', 1, 1, middle2],
  ['ValueDate', 0, 1, day],
  ['SourceDocumentID', 0, 1, middle1],
  ['CustomerID', 0, 1, middle1],
  ['SupplierID', 0, 1, middle1],
  ['Description', 1, 1, long],
  ['DebitAmount', 0, 1, amount],
  ['CreditAmount', 0, 1, amount],
  ['TaxInformation', 0, many, tax],
  ['ReferenceNumber', 0, 1, middle1],
  ['SystemEntryTime', 0, 1, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/],
]
const transaction: readonly Element[] = [
  ['TransactionID', 1, 1, middle2],
  ['Period', 1, 1, count],
  ['PeriodYear', 1, 1, year],
  ['TransactionDate', 1, 1, day],
  ['SourceID', 0, 1, middle1],
  ['VoucherType', 0, 1, middle2],
  ['VoucherDescription', 0, 1, middle2],
  ['TransactionType', 0, 1, short],
  ['Description', 1, 1, long],
  ['BatchID', 0, 1, middle1],
  ['SystemEntryDate', 1, 1, day],
  ['GLPostingDate', 1, 1, day],
  ['ModificationDate', 0, 1, day],
  ['SystemID', 0, 1, short],
  ['Line', 1, many, line],
]
const journal: readonly Element[] = [
  ['JournalID', 1, 1, short],
  ['Description', 1, 1, long],
  ['Type', 1, 1, code],
  ['Transaction', 0, many, transaction],
]
/** The Norwegian SAF-T Financial data schema 1.30, as needed for a general ledger. */
const auditFile: readonly Element[] = [
  ['Header', 1, 1, header],
  [
    'MasterFiles',
    0,
    1,
    [
      ['GeneralLedgerAccounts', 0, 1, [['Account', 1, many, account]]],
      ['Customers', 0, 1, [['Customer', 1, many, customer]]],
      ['TaxTable', 0, 1, [['TaxTableEntry', 1, many, taxEntry]]],
    ],
  ],
  [
    'GeneralLedgerEntries',
    0,
    1,
    [
      ['NumberOfEntries', 1, 1, count],
      ['TotalDebit', 1, 1, money],
      ['TotalCredit', 1, 1, money],
      ['Journal', 0, many, journal],
    ],
  ],
]

const children = (nodes: readonly Node[], name: string): Node[][] =>
  nodes.filter((node) => name in node).map((node) => node[name] as Node[])

const textIn = (nodes: readonly Node[], name: string): string | undefined =>
  nodes.find((node) => name in node)?.[name] as string | undefined

/** In hundredths, which are exact. */
const hundredths = (text: string | undefined): number => Math.round(Number(text ?? '0') * 100)

const sideOf = (nodes: readonly Node[], debit: string, credit: string): number[] =>
  [debit, credit].flatMap((name) => (textIn(nodes, name) === undefined ? [] : [name])).length === 1
    ? [hundredths(textIn(nodes, debit)) - hundredths(textIn(nodes, credit))]
    : []

/** Debits and credits of a transaction's lines, by account. */
const movedIn = (nodes: readonly Node[]): (readonly [string, number])[] =>
  children(nodes, 'Line').map((one) => {
    const [debit] = children(one, 'DebitAmount')
    const [credit] = children(one, 'CreditAmount')
    const of = (side: Node[] | undefined) => hundredths(side && textIn(side, 'Amount'))
    return [textIn(one, 'AccountID') ?? '', of(debit) - of(credit)]
  })

/** What lines name has to be in the master files, with balances and taxes that agree. */
const problemsOfMasters = (
  root: readonly Node[],
  transactions: readonly (readonly Node[])[],
): string[] => {
  const [masters = []] = children(root, 'MasterFiles')
  const within = (nodes: readonly Node[], ...path: readonly string[]): Node[][] =>
    path.reduce<Node[][]>((all, name) => all.flatMap((one) => children(one, name)), [[...nodes]])
  const customers = within(masters, 'Customers', 'Customer')
  const customerIds = customers.map((one) => textIn(one, 'CustomerID'))
  const codes = new Map(
    within(masters, 'TaxTable', 'TaxTableEntry', 'TaxCodeDetails').map((one) => [
      textIn(one, 'TaxCode'),
      textIn(one, 'TaxPercentage'),
    ]),
  )
  const accounts = new Map(
    within(masters, 'GeneralLedgerAccounts', 'Account').map((one) => [
      textIn(one, 'AccountID'),
      one,
    ]),
  )
  const problems: string[] = []
  if (new Set(customerIds).size !== customerIds.length) problems.push('a customer is there twice')
  const sides = ['OpeningDebitBalance', 'OpeningCreditBalance', 'ClosingDebitBalance'] as const
  for (const one of customers.flatMap((customer) => children(customer, 'BalanceAccount'))) {
    const account = accounts.get(textIn(one, 'AccountID'))
    const isSame = sides.every((side) => account && textIn(account, side) === textIn(one, side))
    if (!isSame) problems.push(`a customer's ${textIn(one, 'AccountID')} is not the ledger's`)
  }
  for (const line of transactions.flatMap((one) => children(one, 'Line'))) {
    const id = textIn(line, 'CustomerID')
    if (id !== undefined && !customerIds.includes(id)) problems.push(`there is no customer ${id}`)
    for (const one of children(line, 'TaxInformation')) {
      const [code, percent] = [textIn(one, 'TaxCode'), textIn(one, 'TaxPercentage')]
      if (codes.get(code) !== percent) problems.push(`there is no tax code ${code} of ${percent}`)
      const side = [...children(one, 'DebitTaxAmount'), ...children(one, 'CreditTaxAmount')]
      const tax = hundredths(textIn(side[0] ?? [], 'Amount'))
      const due = (hundredths(textIn(one, 'TaxBase')) * Number(percent)) / 100
      if (code !== 'NA' && Math.abs(tax - due) > 1.5) problems.push(`${tax} is not ${percent} %`)
    }
  }
  return problems
}

const problemsOfSums = (root: readonly Node[], xml: string): string[] => {
  const [accounts = []] = children(children(root, 'MasterFiles')[0] ?? [], 'GeneralLedgerAccounts')
  const [entries = []] = children(root, 'GeneralLedgerEntries')
  const transactions = children(entries, 'Journal').flatMap((one) => children(one, 'Transaction'))
  const moved = transactions.flatMap(movedIn)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  const problems: string[] = []
  if (Number(textIn(entries, 'NumberOfEntries')) !== transactions.length)
    problems.push('NumberOfEntries is not the number of transactions')
  const debits = sum(moved.map(([, one]) => Math.max(one, 0)))
  const credits = sum(moved.map(([, one]) => Math.max(-one, 0)))
  if (hundredths(textIn(entries, 'TotalDebit')) !== debits) problems.push('TotalDebit is not')
  if (hundredths(textIn(entries, 'TotalCredit')) !== credits) problems.push('TotalCredit is not')
  for (const one of transactions)
    if (sum(movedIn(one).map(([, minor]) => minor)) !== 0)
      problems.push(`transaction ${textIn(one, 'TransactionID')} does not balance`)
  for (const one of children(accounts, 'Account')) {
    const id = textIn(one, 'AccountID')
    const [opening] = sideOf(one, 'OpeningDebitBalance', 'OpeningCreditBalance')
    const [closing] = sideOf(one, 'ClosingDebitBalance', 'ClosingCreditBalance')
    const own = sum(moved.flatMap(([account, minor]) => (account === id ? [minor] : [])))
    if (opening === undefined || closing === undefined || opening + own !== closing)
      problems.push(`account ${id} does not lead from its opening to its closing balance`)
  }
  problems.push(...problemsOfMasters(root, transactions))
  const ids = children(accounts, 'Account').map((one) => textIn(one, 'AccountID'))
  if (new Set(ids).size !== ids.length) problems.push('an account is there twice')
  for (const [id] of moved) if (!ids.includes(id)) problems.push(`there is no account ${id}`)
  if (numbersIn(xml, 'Amount').some((text) => text.startsWith('-')))
    problems.push('an amount is negative')
  return problems
}

/** Violations of the published structure in a SAF-T file, and of its sums. */
export const problemsOfSaft = (xml: string): string[] => {
  const namespace = 'urn:StandardAuditFile-Taxation-Financial:NO'
  const inner = new RegExp(`<AuditFile xmlns="${namespace}">(.*)</AuditFile>\n$`, 's').exec(
    xml,
  )?.[1]
  if (inner === undefined) return ['there is no audit file in its namespace']
  const root = parseXml(inner)
  return [...problemsOf({ '#': root }, auditFile, 'AuditFile'), ...problemsOfSums(root, xml)]
}
