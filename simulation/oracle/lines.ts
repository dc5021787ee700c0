import { Finding } from './books.ts'
import { minorOf, moneyText } from './money.ts'
import type { Dispute, Payment, Pots } from './payment.ts'

/** 10.2: approved by a second person. */
export type Correction = {
  readonly id: string
  readonly currency: string
  readonly amount: number
  readonly report: number
}

type Amounts = Readonly<Record<'gross' | 'fee' | 'interchange' | 'vat' | 'net', string>>

/** An element of `GET /transaction/` (8.7). */
export type Line = Amounts &
  Readonly<Record<'id' | 'kind' | 'date' | 'currency' | 'taxcode', string>> &
  Readonly<Record<'balance_before' | 'balance_after', string>> &
  Readonly<Record<'ledger' | 'report' | 'tid' | 'capture_id' | 'refund_id', string | null>> &
  Readonly<{ settlement_id: string | null; paid_out: string | null }>

/** An element of `GET /transaction/days/` (8.8). */
export type Day = Amounts & { readonly date: string; readonly currency: string; count: number }

/** An element of `GET /payments/` (8.9). */
export type Listed = Readonly<Record<'tid' | 'status' | 'currency' | 'captured', string>> &
  Readonly<{ refunded: string; amount: string; status_code: number; pos_tid: string }>

const grossOf = ({ amount, extra }: Pots): number => amount + extra

type Moved = readonly [string, string | null, string | null, string, number, number]

const ofDispute = (dispute: Dispute, currency: string, tid: string): Moved[] => {
  const gross = grossOf(dispute)
  const taken: Moved = ['dispute', tid, null, currency, -gross, dispute.report]
  return dispute.wonIn === null
    ? [taken]
    : [taken, ['dispute', tid, null, currency, gross, dispute.wonIn]]
}

const linesOf = ({ tid, currency, captures, refunds, disputes }: Payment): Moved[] => [
  ...captures.map((one): Moved => ['capture', tid, one.id, currency, grossOf(one), one.report]),
  ...refunds.map((one): Moved => ['refund', tid, one.id, currency, -grossOf(one), one.report]),
  ...disputes.flatMap((one) => ofDispute(one, currency, tid)),
]

const sorted = (lines: readonly Moved[]): readonly string[] =>
  lines.map(([...parts]) => parts.join(' ')).toSorted()

/** What the lines of a merchant are, whatever settlement took them. @throws Finding */
export const checkLines = (
  lines: readonly Line[],
  payments: readonly Payment[],
  corrections: readonly Correction[],
): void => {
  const listed = lines
    .filter(({ kind }) => kind !== 'settlement_fee')
    .map(({ kind, tid, currency, gross, report, ...line }): Moved => {
      const part = line.capture_id ?? line.refund_id
      return [kind, tid, part, currency, minorOf(currency, gross), Number(report)]
    })
  const corrected = corrections.map(({ currency, amount, report }): Moved => [
    'correction',
    null,
    null,
    currency,
    amount,
    report,
  ])
  const right = sorted([...payments.flatMap(linesOf), ...corrected])
  const found = sorted(listed)
  const missing = right.filter((line) => !found.includes(line))
  const [wrong] = found.filter((line) => !right.includes(line))
  if (missing.length > 0 || wrong !== undefined || found.length !== right.length)
    throw new Finding(
      'transactions',
      `of ${right.length} lines ${found.length} are listed, "${wrong}" is none of them, ` +
        `and missing is "${missing[0]}"`,
    )
}

/** 8.7: balances of a ledger and currency follow from one line to the next. @throws Finding */
export const checkBalances = (lines: readonly Line[]): void => {
  const balances = new Map<string, number>()
  for (const { id, ledger, currency, ...line } of lines) {
    const minor = (name: keyof typeof line): number => minorOf(currency, String(line[name]))
    const of = `${ledger} ${currency}`
    const before = balances.get(of) ?? 0
    const net = minor('gross') - minor('fee') - minor('interchange') - minor('vat')
    const isRight = minor('balance_before') === before && minor('balance_after') === before + net
    if (!isRight || minor('net') !== net)
      throw new Finding(
        'balances',
        `line ${id} has the net ${line.net} and goes from ${line.balance_before} to ` +
          `${line.balance_after}, and ${moneyText(currency, before)} was before it`,
      )
    balances.set(of, before + net)
  }
}

/** 8.8 @throws Finding */
export const checkDays = (
  days: readonly Day[],
  lines: readonly Line[],
  dateOf: (date: string) => string,
): void => {
  const keyOf = ({ date, currency }: Pick<Day, 'date' | 'currency'>) => `${date} ${currency}`
  const minor = ({ currency, gross, fee, interchange, vat, net }: Omit<Day, 'date' | 'count'>) =>
    [gross, fee, interchange, vat, net].map((text) => minorOf(currency, text))
  const sums = new Map<string, readonly number[]>()
  for (const line of lines) {
    const key = keyOf({ date: dateOf(line.date), currency: line.currency })
    const before = sums.get(key)
    const more = [1, ...minor(line)]
    sums.set(
      key,
      more.map((one, at) => one + (before?.[at] ?? 0)),
    )
  }
  const listed = days.map((day) => [keyOf(day), [day.count, ...minor(day)]] as const)
  const right = JSON.stringify([...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  if (JSON.stringify(listed) !== right)
    throw new Finding('days', `the days are ${JSON.stringify(listed)} and should be ${right}`)
}

/** Whether a payment may be listed so (8.9). */
export const isListedSo =
  ({ status, status_code: code, currency, ...listed }: Listed) =>
  (payment: Payment): boolean => {
    const total = (parts: readonly Pots[]): string =>
      moneyText(
        currency,
        parts.reduce((sum, part) => sum + grossOf(part), 0),
      )
    return (
      payment.status === status &&
      payment.code === code &&
      payment.currency === currency &&
      moneyText(currency, payment.requested.amount) === listed.amount &&
      total(payment.captures) === listed.captured &&
      total(payment.refunds) === listed.refunded
    )
  }
