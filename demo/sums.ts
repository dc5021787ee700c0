import { isDeepStrictEqual } from 'node:util'
import type { Report } from '../client/index.ts'
import type { Books } from './log-books.ts'
import type { Charge, Entry, Line } from './payment-book.ts'
import { amountIn } from './telling.ts'

/** A line of the books whose money moves. */
type Moved = Line & { readonly currency: string; readonly charge: Charge }

const isMoved = (line: Line & { readonly currency: string }): line is Moved => line.charge !== null

const linesOf = (entries: readonly Entry[]) =>
  entries.flatMap(({ lines, currency }) => lines.map((line) => ({ ...line, currency })))

const sumOf = (lines: readonly Moved[]) => {
  const sum = (one: (line: Moved) => number): number => lines.reduce((all, l) => all + one(l), 0)
  const amount = sum((line) => line.amount)
  const additional = sum((line) => line.additionalAmount)
  const fee = sum(({ charge }) => charge.fee)
  const vat = sum(({ charge }) => charge.vat)
  const interchange = sum(({ charge }) => charge.interchange)
  const gross = amount + additional
  return { amount, additional, fee, vat, interchange, gross, net: gross - fee - vat - interchange }
}

const summaryOwed = (lines: readonly Moved[], currency: string, taxcode: string) => {
  const sum = sumOf(
    lines.filter((line) => line.currency === currency && line.charge.taxcode === taxcode),
  )
  const amount = (minor: number): string => amountIn(currency, minor)
  const fees = {
    transaction_fee: sum.fee,
    transaction_fee_vat: sum.vat,
    interchange: sum.interchange,
  }
  return {
    currency,
    taxcode,
    gross: amount(sum.gross),
    amount_total: amount(sum.amount),
    additional_amount_total: amount(sum.additional),
    fees: Object.entries(fees).flatMap(([type, fee]) =>
      fee === 0 ? [] : [{ type, amount: amount(fee) }],
    ),
    interchange: amount(sum.interchange),
    net: amount(sum.net),
  }
}

const counted = ['request', 'auth', 'expire', 'capture', 'refund', 'release', 'fail', 'abort']

/** What a report owes: its summaries in the order of currency and taxcode, and its counters. */
const reportOwed = ({ entries }: Books, report: string): object => {
  const lines = linesOf(entries).filter((line) => String(line.report) === report)
  const moved = lines.filter(isMoved)
  const kinds = new Set(moved.map(({ currency, charge }) => `${currency} ${charge.taxcode}`))
  const countOf = (action: string) => lines.filter((line) => line.action === action).length
  return {
    report_summary: [...kinds].toSorted().map((kind) => {
      const [currency = '', taxcode = ''] = kind.split(' ')
      return summaryOwed(moved, currency, taxcode)
    }),
    ...Object.fromEntries(counted.map((action) => [`payment_${action}_count`, countOf(action)])),
  }
}

/** Where the sums of reports differ from those of the books. */
export const reportsDiffer = (reports: readonly Report[], books: Books): string[] =>
  reports.flatMap((report) => {
    const says = new Map<string, unknown>(Object.entries(report))
    return Object.entries(reportOwed(books, report.id)).flatMap(([name, owed]) => {
      if (isDeepStrictEqual(says.get(name), owed)) return []
      const [said, should] = [says.get(name), owed].map((value) => JSON.stringify(value))
      return [`report ${report.id}: ${name}: it says ${said}, the log ${should}`]
    })
  })

/** What the accounts of the journal owe, debits less credits in minor units, before any payout. */
const journalOwed = ({ entries }: Books): Map<string, number> => {
  const moved = linesOf(entries).filter(isMoved)
  const owed = new Map<string, number>()
  for (const currency of new Set(moved.map((line) => line.currency))) {
    const own = moved.filter((line) => line.currency === currency)
    const sum = sumOf(own)
    const settled = sumOf(own.filter(({ isSettled }) => isSettled))
    const balances = {
      payer_clearing: sum.gross,
      merchant_payable: settled.net - sum.net,
      payouts_payable: 0 - settled.net,
      fee_income: 0 - sum.fee,
      interchange: 0 - sum.interchange,
      vat: 0 - sum.vat,
    }
    for (const [account, balance] of Object.entries(balances))
      owed.set(`${account} ${currency}`, balance)
  }
  return owed
}

const balancePattern =
  /^daybook_journal_balance_minor_units\{account="(\w+)",currency="(\w+)"\} (-?\d+)$/gm

/** Where the balances of the journal, as the service's metrics tell them, differ from the books. */
export const journalDiffers = (metrics: string, books: Books): string[] => {
  const told = new Map<string, number>()
  for (const [, account, currency, balance] of metrics.matchAll(balancePattern))
    told.set(`${account} ${currency}`, Number(balance))
  const owed = journalOwed(books)
  return [...new Set([...told.keys(), ...owed.keys()])].flatMap((account) => {
    const [says = 0, should = 0] = [told.get(account), owed.get(account)]
    return says === should ? [] : [`journal: ${account} stands at ${says}, the log has ${should}`]
  })
}
