import { isDeepStrictEqual } from 'node:util'
import type { Capture, Client, PaymentOutcome, Refund, Report } from '../client/index.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import { openStoreToRead, type Place } from '../infrastructure/stores.ts'
import type { Arrival } from './receiver.ts'
import { amountIn, minorOf } from './print.ts'

/* The log is added up here, apart from the service, and compared with what the service answers. */

const moneyFields = ['gross', 'fee', 'interchange', 'vat', 'net'] as const

/** What a merchant is owed and charged, in minor units. */
type Money = Readonly<Record<(typeof moneyFields)[number], number>>

const noMoney: Money = { gross: 0, fee: 0, interchange: 0, vat: 0, net: 0 }

const sumOf = (all: readonly Money[]): Money =>
  all.reduce(
    (sum, one) =>
      Object.fromEntries(moneyFields.map((name) => [name, sum[name] + one[name]])) as Money,
    noMoney,
  )

/** A payment as its raw events tell it. */
type Entry = {
  readonly tid: string
  readonly currency: string
  authorised: number
  captured: number
  refunded: number
  released: number
  readonly money: Money[]
  /** The messages that the merchant is owed, in order. */
  readonly owed: { readonly id: string; readonly event: string }[]
}

type Pots = { readonly amount: number; readonly additionalAmount: number }

const bothOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const chargedOf = (gross: number, charge: Omit<Money, 'gross' | 'net'>): Money => {
  const { fee, interchange, vat } = charge
  return { gross, fee, interchange, vat, net: gross - fee - interchange - vat }
}

const addTo = (entry: Entry, type: string, data: any, requested: Pots): void => {
  switch (type) {
    case 'PaymentAuthorized':
      entry.authorised = requested.amount + data.additionalAmount
      break
    case 'PaymentCaptured':
      entry.captured += bothOf(data)
      entry.money.push(chargedOf(bothOf(data), data.charge))
      break
    case 'PaymentRefunded':
      entry.refunded += bothOf(data)
      entry.money.push(chargedOf(-bothOf(data), data.charge))
      break
    case 'PaymentReleased':
    case 'PaymentAuthorizationExpired':
      entry.released += bothOf(data)
  }
}

/** Keeps books of the payments and of the callback attempts out of the raw event log. */
export const readBooks = async (place: Place) => {
  const entries = new Map<string, { readonly entry: Entry; readonly requested: Pots }>()
  /** What came of each attempt, by the id of its message. */
  const attempts = new Map<string, string[]>()
  /** Ids of the messages about scans, in order. */
  const scans: string[] = []
  let count = 0
  const store = await openStoreToRead(place)
  for await (const batch of store.readAll(0))
    for (const { id, type, stream, data, metadata } of batch as readonly any[]) {
      count += 1
      if (type === 'PaymentRequested') {
        const entry = { authorised: 0, captured: 0, refunded: 0, released: 0, money: [], owed: [] }
        const { currency } = data.request
        const tid = stream.slice('payment-'.length)
        entries.set(stream, { entry: { tid, currency, ...entry }, requested: data.request })
      }
      const { entry, requested } = entries.get(stream) ?? {}
      if (entry && requested) {
        addTo(entry, type, data, requested)
        const event = callbackNameOf(type, metadata.schema)
        if (event) entry.owed.push({ id, event })
      }
      if (type === 'ShortlinkScanned') scans.push(id)
      if (type !== 'CallbackAttempted') continue
      const message = stream.slice('callback-'.length)
      attempts.set(message, [...(attempts.get(message) ?? []), data.result])
    }
  await store.close()
  return { entries: [...entries.values()].map(({ entry }) => entry), attempts, scans, count }
}

type Books = Awaited<ReturnType<typeof readBooks>>

const differences = (reader: string, read: object, owed: object): string[] =>
  Object.entries(owed).flatMap(([name, should]) => {
    const says = (read as Readonly<Record<string, unknown>>)[name]
    if (isDeepStrictEqual(says, should)) return []
    return `${name}: ${reader} says ${JSON.stringify(says)}, the log ${JSON.stringify(should)}`
  })

const partsOf = (parts: readonly (Capture | Refund)[]): number =>
  parts.reduce((sum, part) => sum + minorOf(part.amount) + minorOf(part.additional_amount), 0)

/** Where an outcome, as read over HTTP, differs from the books. */
export const outcomeDiffers = (outcome: PaymentOutcome, entry: Entry): string[] => {
  const { authorised, captured, refunded, released, money } = entry
  const { fee, interchange } = sumOf(money)
  const read = {
    captured: partsOf(outcome.captures),
    refunded: partsOf(outcome.refunds),
    left: minorOf(outcome.auth_amount) + minorOf(outcome.auth_additional_amount),
    fee: minorOf(outcome.transaction_fee),
    interchange: minorOf(outcome.interchange_fee),
  }
  const left = authorised - captured - released
  return differences('the outcome', read, { captured, refunded, left, fee, interchange })
}

/** A line of a transaction log by its columns. No cell of this shop needs quotes. */
type LogLine = Readonly<Record<string, string>>

const linesIn = (csv: string): LogLine[] => {
  const [columns = [], ...lines] = csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  return lines.map((cells) =>
    Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ''])),
  )
}

export const readReports = async (till: Client, ids: readonly string[]) => {
  const reports: Report[] = []
  const lines: LogLine[] = []
  for (const id of ids) {
    const report = await till.getLedgerReport('default', id)
    reports.push(report)
    for (const uri of report.transaction_log_uris) lines.push(...linesIn(await till.get(uri)))
  }
  return { reports, lines }
}

/** Where the lines about a payment in the transaction logs differ from the books. */
export const linesDiffer = (lines: readonly LogLine[], { money }: Entry): string[] => {
  const read = sumOf(
    lines.map(
      (line) =>
        Object.fromEntries(moneyFields.map((name) => [name, minorOf(line[name] ?? '')])) as Money,
    ),
  )
  return differences('the transaction log', read, sumOf(money))
}

/** Where the messages that arrived about a payment differ from those that the log owes. */
export const messagesDiffer = (arrived: readonly Arrival[], { owed, tid }: Entry): string[] => {
  const path = `/merchant/v1/payment_request/${tid}/outcome/`
  const read = arrived.map(({ meta: { id, event, seqno, uri } }) => ({
    id,
    event,
    seqno,
    path: uri === null ? null : new URL(uri).pathname,
  }))
  const messages = owed.map(({ id, event }, index) => ({ id, event, seqno: index + 1, path }))
  return differences('the till', { messages: read }, { messages })
}

/** Where what arrived, repeated messages among it, differs from scans and recorded attempts. */
export const arrivalsDiffer = (
  arrivals: readonly Arrival[],
  messages: readonly Arrival[],
  { attempts, entries, scans }: Books,
): string[] => {
  const scanned = messages.filter(({ meta }) => meta.event === 'shortlink_scanned')
  const found = { scans: scanned.map(({ meta }) => meta.id) }
  const wrong = entries.flatMap(({ owed }) =>
    owed.flatMap(({ id, event }) => {
      const recorded = attempts.get(id) ?? []
      const arrived = arrivals.filter(({ meta }) => meta.id === id).length
      const delivered = recorded.filter((result) => result === 'delivered').length
      if (delivered === 1 && recorded.length === arrived) return []
      return `${event}: the log records ${recorded.join(', ')}, it arrived ${arrived} times`
    }),
  )
  return [...differences('the till', found, { scans }), ...wrong]
}

/** The books of each currency, with the sums of its money. */
const byCurrency = ({ entries }: Books) =>
  [...new Set(entries.map(({ currency }) => currency))].map((currency) => {
    const own = entries.filter((entry) => entry.currency === currency)
    return { currency, own, ...sumOf(own.flatMap(({ money }) => money)) }
  })

/** Where the sums of all reports differ from those of the books. */
export const reportsDiffer = (reports: readonly Report[], books: Books): string[] =>
  byCurrency(books).flatMap(({ currency, gross, interchange, net }) => {
    const own = reports
      .flatMap(({ report_summary: summaries }) => summaries)
      .filter((summary) => summary.currency === currency)
    const sum = (name: 'gross' | 'interchange' | 'net') =>
      own.reduce((all, summary) => all + minorOf(summary[name]), 0)
    const read = { gross: sum('gross'), interchange: sum('interchange'), net: sum('net') }
    return differences(`the reports in ${currency}`, read, { gross, interchange, net })
  })

const balancePattern =
  /^daybook_journal_balance_minor_units\{account="(\w+)",currency="(\w+)"\} (-?\d+)$/gm

/** Where the balances of the journal, as the service's metrics tell them, differ from the books. */
export const journalDiffers = (metrics: string, books: Books): string[] =>
  byCurrency(books).flatMap(({ currency, gross, fee, interchange, vat, net }) => {
    const found = [...metrics.matchAll(balancePattern)].filter(([, , of]) => of === currency)
    const on = (...accounts: readonly string[]) =>
      found.reduce((all, [, name = '', , sum]) => all + (accounts.includes(name) ? +sum! : 0), 0)
    const read = {
      gross: on('payer_clearing'),
      // What is settled is payable to the bank, the rest to the merchant.
      net: 0 - on('merchant_payable', 'payouts_payable'),
      fee: 0 - on('fee_income'),
      interchange: 0 - on('interchange'),
      vat: 0 - on('vat'),
    }
    return differences(`the journal in ${currency}`, read, { gross, net, fee, interchange, vat })
  })

/** The books of each currency: what was authorised is what was captured, released and is left. */
export const booksInWords = (books: Books): string[] =>
  byCurrency(books).map(({ currency, own }) => {
    const total = (name: 'authorised' | 'captured' | 'released' | 'refunded') =>
      own.reduce((all, entry) => all + entry[name], 0)
    const left = total('authorised') - total('captured') - total('released')
    const text = (minor: number) => amountIn(currency, minor)
    return (
      `  ${currency}  authorised ${text(total('authorised'))} = captured ` +
      `${text(total('captured'))} + released ${text(total('released'))} + left ${text(left)}; ` +
      `refunded ${text(total('refunded'))}`
    )
  })
