import { formatAmount, negated, portionOf, type Rate, type Sum } from '../../domain/money/money.ts'
import { sha256 } from '../../infrastructure/keys/sha256.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { payoutAddress } from '../../infrastructure/bank/payout-address.ts'
import { textOf } from '../../infrastructure/bank/read-xml.ts'
import { type AccountBalance, type JournalEntry, saftNumber } from './journal-entries.ts'

/** An element whose name depends on the side (debit or credit) of a sum. */
export const onSide = (prefix: string, suffix: string, sum: Sum, currency: string) => {
  const isCredit = sum.startsWith('-')
  const amount = formatAmount(isCredit ? negated(sum) : sum, currency)
  return { name: `${prefix}${isCredit ? 'Credit' : 'Debit'}${suffix}`, amount }
}

/** Elements of an account's balances before and after the period. */
export const balancesOf = ({ opening, closing, currency }: AccountBalance) => {
  const before = onSide('Opening', 'Balance', opening, currency)
  const after = onSide('Closing', 'Balance', closing, currency)
  return { [before.name]: before.amount, [after.name]: after.amount }
}

const longestId = 35

/** A merchant's id as SAF-T takes it; longer ones end in a hash. */
export const customerId = (merchant: string): string => {
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
export const customersOf = (
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
  ...{ code: 'NA', rate: '0', standard: 'NA' },
  description: 'VAT at a rate that has no standard code',
}

const percentOf = (rate: Rate): string => String(portionOf(100, rate))

export const taxTable = {
  TaxTable: {
    TaxTableEntry: {
      TaxType: 'MVA',
      Description: 'Merverdiavgift',
      TaxCodeDetails: [...taxCodes, otherCode].map(({ code, rate, standard, description }) => ({
        ...{ TaxCode: code, Description: description, TaxPercentage: percentOf(rate) },
        ...{ Country: 'NO', StandardTaxCode: standard, BaseRate: '100' },
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
export const taxOf = (postings: JournalEntry['postings'], currency: string) => {
  const of = (account: string) => postings.find((one) => one.account === account)?.amount ?? '0'
  const [fee, vat] = [of('fee_income'), of('vat')]
  const [base, tax] = [negated(fee), negated(vat)]
  const { code, rate } = codeOf(Number(base), Number(tax))
  const { name, amount } = onSide('', 'TaxAmount', vat === '0' ? fee : vat, currency)
  return {
    TaxInformation: {
      ...{ TaxType: 'MVA', TaxCode: code, TaxPercentage: percentOf(rate), Country: 'NO' },
      TaxBase: formatAmount(base.replace('-', ''), currency),
      [name]: { Amount: vat === '0' ? formatAmount('0', currency) : amount },
    },
  }
}
