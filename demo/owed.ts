import type { Charge, Entry, Line, Pots } from './payment-entry.ts'
import { leftOf } from './payment-book.ts'
import type { Sale } from './sale.ts'
import { amountIn, timeOf, type Outcome } from './wording.ts'

/** The outcome that the service owes of a payment in the books. */
export const outcomeOwed = (entry: Entry, { customer }: Sale): Outcome => {
  const { tid, currency, ledger, captures, refunds, asked, released } = entry
  const amount = (minor: number): string => amountIn(currency, minor)
  const left = leftOf(entry)
  const partOf = ({ id, at, ...pots }: Pots & { id: string | null; at: number }) => ({
    id,
    amount: amount(pots.amount),
    additional_amount: amount(pots.additionalAmount),
    date: timeOf(at),
  })
  const charged = (name: 'fee' | 'interchange') =>
    amount([...captures, ...refunds].reduce((all, { charge }) => all + charge[name], 0))
  const report = entry.lines.at(-1)?.report
  return {
    tid,
    pos_id: entry.posId,
    pos_tid: entry.posTid,
    customer,
    currency,
    amount: amount(asked.amount),
    additional_amount: amount(asked.additionalAmount),
    auth_amount: amount(left.amount),
    auth_additional_amount: amount(left.additionalAmount),
    released_amount: amount(released.amount),
    released_additional_amount: amount(released.additionalAmount),
    captures: captures.map(({ charge, ...part }) => ({
      ...partOf(part),
      transaction_fee: amount(charge.fee),
      interchange_fee: amount(charge.interchange),
    })),
    refunds: refunds.map(({ text, ...part }) => ({ ...partOf(part), text })),
    transaction_fee: charged('fee'),
    interchange_fee: charged('interchange'),
    credit: entry.isCredit,
    status: entry.status,
    status_code: entry.statusCode,
    date_modified: timeOf(entry.modifiedAt),
    date_expires: timeOf(entry.expiresAt),
    ledger,
    report_id: `${report}`,
    report_uri: `/merchant/v1/ledger/${ledger}/report/${report}/`,
    permissions: entry.granted && { scope: entry.granted.join(' ') },
  }
}

/** A line of a transaction log by its columns, and the report that it was read from. */
export type LogLine = Readonly<Record<string, string>>

const freeOfCharge: Charge = { fee: 0, interchange: 0, vat: 0, taxcode: '' }

const lineOwed = (
  { tid, merchant, currency }: Entry,
  { customer }: Sale,
  { action, id, at, isCredit, report, charge, ...pots }: Line,
): LogLine => {
  const amount = (minor: number): string => amountIn(currency, minor)
  const { fee, interchange, vat, taxcode } = charge ?? freeOfCharge
  const gross = charge ? pots.amount + pots.additionalAmount : 0
  return {
    report: String(report),
    tid,
    sub_id: id ?? '',
    timestamp: timeOf(at),
    action,
    type: isCredit ? 'credit' : '',
    // With an apostrophe, a spreadsheet does not take the plus of a phone number for a formula.
    customer: customer.startsWith('+') ? `'${customer}` : customer,
    currency,
    amount: amount(pots.amount),
    additional_amount: amount(pots.additionalAmount),
    gross: amount(gross),
    fee: amount(fee),
    interchange: amount(interchange),
    vat: amount(vat),
    taxcode,
    net: amount(gross - fee - interchange - vat),
    merchant_id: merchant,
  }
}

/** The lines of the transaction logs that the service owes of a payment in the books. */
export const linesOwed = (entry: Entry, sale: Sale): readonly LogLine[] =>
  entry.lines.map((line) => lineOwed(entry, sale, line))
