import { Finding } from './books.ts'
import type { Line } from './lines.ts'
import { minorOf, moneyText } from './money.ts'
import type { Payment } from './payment.ts'

export type Entry = Readonly<Record<string, unknown>>

/** What a list is asked for; interface 8.7: `since` is inclusive, `until` exclusive. */
export type Filter = readonly (readonly [string, string])[]

/** 8.9: a number is found in whatever spelling. */
const plain = (value: unknown): string => String(value).replace(/^\+/, '')

/** All parts of a filter must fit (8.7, 8.9); `date` names the time of an entry. */
export const fitting = <Each extends Entry>(
  entries: readonly Each[],
  filter: Filter,
  date: keyof Each,
): readonly Each[] =>
  entries.filter((entry) =>
    filter.every(([name, value]) => {
      if (name === 'since') return String(entry[date]) >= value
      if (name === 'until') return String(entry[date]) < value
      return plain(entry[name]) === plain(value)
    }),
  )

type Fee = { readonly type: string; readonly amount: string }
export type Summary = Readonly<Record<'currency' | 'taxcode', string>> &
  Readonly<Record<'gross' | 'amount_total' | 'additional_amount_total', string>> &
  Readonly<Record<'interchange' | 'net', string>> & { readonly fees: readonly Fee[] }

type Sums = readonly [gross: number, fees: number, interchange: number, net: number]

const add = (sums: Map<string, Sums>, key: string, more: Sums): void => {
  const before = sums.get(key) ?? [0, 0, 0, 0]
  const after = before.map((sum, at) => sum + (more[at] ?? 0)) as unknown as Sums
  if (after.some((sum) => sum !== 0)) sums.set(key, after)
  else sums.delete(key)
}

const told = (sums: Map<string, Sums>): string => JSON.stringify([...sums].toSorted())

/** 8.3: of a report or settlement, to the last øre. @throws Finding */
export const checkSummary = (
  what: string,
  summary: readonly Summary[],
  lines: readonly Line[],
): void => {
  const [shown, right] = [new Map<string, Sums>(), new Map<string, Sums>()]
  for (const { currency, taxcode, fees, ...one } of summary) {
    const minor = (text: string): number => minorOf(currency, text)
    const charged = fees.reduce((sum, { amount }) => sum + minor(amount), 0)
    add(shown, `${currency} ${taxcode}`, [
      minor(one.gross),
      charged,
      minor(one.interchange),
      minor(one.net),
    ])
    if (minor(one.amount_total) + minor(one.additional_amount_total) !== minor(one.gross))
      throw new Finding('net', `the totals of ${what} are not its gross: ${JSON.stringify(one)}`)
  }
  for (const { currency, taxcode, ...line } of lines) {
    const minor = (name: 'gross' | 'fee' | 'interchange' | 'vat' | 'net'): number =>
      minorOf(currency, line[name])
    const charged = minor('fee') + minor('interchange') + minor('vat')
    const sums: Sums = [minor('gross'), charged, minor('interchange'), minor('net')]
    add(right, `${currency} ${taxcode}`, sums)
  }
  if (told(shown) !== told(right))
    throw new Finding('summary', `${what} is ${told(shown)} and should be ${told(right)}`)
}

export type Payout = Readonly<Record<'currency' | 'gross' | 'net' | 'payout' | 'billed', string>> &
  Readonly<Partial<Record<'status' | 'payout_day' | 'paid_on', string>>> &
  Readonly<Record<'unsettled_fees_before' | 'unsettled_fees_after', string>> &
  Readonly<Partial<Record<'unsettled_refunds_before' | 'unsettled_refunds_after', string>>>

const owed = ({ currency, ...payout }: Payout, when: 'before' | 'after'): number =>
  minorOf(currency, payout[`unsettled_fees_${when}`]) +
  minorOf(currency, payout[`unsettled_refunds_${when}`] ?? '0')

/**
 * 10: what is carried over from one settlement to the next, the oldest first; an operator may let a
 * part of it off, if `isExact` does not say otherwise. @throws Finding
 */
export const checkPayouts = (payouts: readonly Payout[], isExact: boolean): void => {
  const carried = new Map<string, number>()
  for (const one of payouts) {
    const { currency } = one
    const minor = (name: 'net' | 'payout' | 'billed'): number => minorOf(currency, one[name])
    const [before, after] = [owed(one, 'before'), owed(one, 'after')]
    const earlier = carried.get(currency) ?? 0
    const isCarried = isExact ? before === earlier : before >= earlier && before <= 0
    const rest = before + minor('net') + minor('billed')
    const isPaid = minor('payout') === Math.max(0, rest) && after === Math.min(0, rest)
    if (!isCarried || !isPaid)
      throw new Finding('payout', `${JSON.stringify(one)}, and ${earlier} was carried before`)
    carried.set(currency, after)
  }
}

/** 2.5: texts are trimmed, and an empty one is absent. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && value !== '' && value.trim() === value)

/** 2.2: a currency is stored in upper case. */
const stored = (name: string, value: unknown): unknown =>
  name === 'currency' ? String(value).toUpperCase() : value

/** 1.2: the fields that were given are there. @throws Finding */
export const checkEcho = (what: string, sent: Entry, shown: Entry): void => {
  const wrong = Object.entries(sent).filter(
    ([name, value]) =>
      // An id of which nothing is seen is one that the service makes.
      !(name === 'id' && /^[\s\p{Cf}]*$/u.test(String(value))) &&
      name in shown &&
      isPlain(value) &&
      shown[name] !== stored(name, value),
  )
  const [name, value] = wrong[0] ?? []
  if (name !== undefined)
    throw new Finding('written', `${name} of ${what} is ${shown[name]}, and ${value} was given`)
}

export type Message = Readonly<Record<'id' | 'event' | 'timestamp' | 'status', string>> & {
  readonly seqno: number
  readonly attempts: number
}

/** 13.7: each message of the feed once, newest first, and what became of it. @throws Finding */
export const checkMessages = (
  messages: readonly Message[],
  feed: readonly Pick<Message, 'id' | 'event' | 'timestamp'>[],
  attemptsOf: (id: string) => number,
): void => {
  const right = feed.map(({ id, event, timestamp }) => [id, event, timestamp].join(' '))
  const shown = messages.map(({ id, event, timestamp }) => [id, event, timestamp].join(' '))
  if (shown.toReversed().join() !== right.join())
    throw new Finding(
      'messages',
      `messages are listed as ${shown.toReversed().join()}, and the feed has ${right.join()}`,
    )
  const wrong = messages.find(
    ({ id, status, attempts }) =>
      attempts > attemptsOf(id) || (status === 'delivered' && attempts === 0),
  )
  if (wrong) throw new Finding('messages', `${JSON.stringify(wrong)}, ${attemptsOf(wrong.id)} sent`)
}

/** What a settlement says of a line or of a payout, and who else says so. */
export type Of = Readonly<{ settlement_id: string | null; currency: string }>

/** 8.7, 10: lines and the operator's list tell of payouts as settlements do. @throws Finding */
export const checkPaid = (
  payouts: readonly (Payout & Of)[],
  lines: readonly (Of & Pick<Line, 'id'> & { readonly paid_out: string | null })[],
  ordered: readonly (Of & Readonly<Record<'amount' | 'status' | 'payout_day', string>>)[],
): void => {
  const paid = payouts.filter(({ status }) => status !== undefined)
  const row = (one: Of, amount: string, status?: string, day?: string): string =>
    [one.settlement_id, one.currency, amount, status, day].join(' ')
  const right = paid.map((one) => row(one, one.payout, one.status, one.payout_day)).toSorted()
  const shown = ordered.map((one) => row(one, one.amount, one.status, one.payout_day)).toSorted()
  if (shown.join() !== right.join())
    throw new Finding('paid', `payouts are listed as ${shown.join()}, and are ${right.join()}`)
  for (const { id, settlement_id: settlement, currency, paid_out: day } of lines) {
    const own = payouts.find((one) => one.settlement_id === settlement && one.currency === currency)
    if (day !== (own?.paid_on ?? null))
      throw new Finding('paid', `line ${id} was paid out on ${day}, and not ${own?.paid_on}`)
  }
}

/** 10.1: disputes as they are listed, the newest first. @throws Finding */
export const checkDisputes = (
  listed: readonly Readonly<Record<'tid' | 'currency' | 'amount' | 'state', string>>[],
  payments: readonly Payment[],
): void => {
  const right = payments.flatMap(({ tid, currency, disputes }) =>
    disputes.map(({ amount, extra, state }) =>
      [tid, moneyText(currency, amount + extra), currency, state].join(' '),
    ),
  )
  const shown = listed.map((one) => [one.tid, one.amount, one.currency, one.state].join(' '))
  if (shown.toSorted().join() !== right.toSorted().join())
    throw new Finding('disputed', `disputes are ${shown.join()}, and should be ${right.join()}`)
}

/** 20.2: a row of the journal, as the operator downloads it. */
export type Posting = Readonly<
  Record<'position' | 'day' | 'payee' | 'account' | 'currency' | 'debit' | 'credit', string>
>

export const postingsOf = (csv: string): readonly Posting[] => {
  const [heads = '', ...rows] = csv
    .replaceAll(/[\ufeff\r]/g, '')
    .trim()
    .split('\n')
  const names = heads.split(',')
  return rows.map((row) => {
    const cells = [...row.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
      cell.replaceAll(/^"|"$/g, '').replaceAll('""', '"'),
    )
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])) as Posting
  })
}

const sumOf = ({ currency, debit, credit }: Posting): number =>
  minorOf(currency, debit || '0') - minorOf(currency, credit || '0')

/** 10: postings of each event sum to zero; 20.2: the newest first. @throws Finding */
export const checkEntries = (postings: readonly Posting[]): void => {
  const sums = new Map<string, number>()
  for (const one of postings) {
    const key = `${one.position} ${one.currency}`
    sums.set(key, (sums.get(key) ?? 0) + sumOf(one))
  }
  const [wrong] = [...sums].filter(([, sum]) => sum !== 0)
  if (wrong) throw new Finding('journal', `postings of ${wrong[0]} sum to ${wrong[1]}`)
  const positions = postings.map(({ position }) => Number(position))
  if (positions.some((one, at) => at > 0 && one > (positions[at - 1] ?? 0)))
    throw new Finding('entries', `entries come as ${positions.join()}`)
}

/** 20.2: what a page of the trial balance says of each account. @throws Finding */
export const checkBalance = (html: string, postings: readonly Posting[]): void => {
  for (const card of html.split('<section').slice(1)) {
    const [, currency = ''] = /<h2>([A-Z]{3})<\/h2>/.exec(card) ?? []
    for (const [, account = '', debit = '', credit = ''] of card.matchAll(
      /entries\?account=(\w+)&[^>]*>[^<]*<\/a><\/th><td[^>]*>([^<]*)<\/td><td[^>]*>([^<]*)<\/td>/g,
    )) {
      const number = (text: string): number =>
        minorOf(currency, text.replaceAll(/[^\d.]/g, '') || '0')
      const right = postings
        .filter((one) => one.account === account && one.currency === currency)
        .reduce((sum, one) => sum + sumOf(one), 0)
      if (number(debit) - number(credit) !== right)
        throw new Finding('entries', `${account} is ${debit}, ${credit}, and not ${right}`)
    }
  }
}

type Proved = Readonly<Record<'amount' | 'additional_amount', number>> & {
  readonly currency: string
  readonly charge: Readonly<Record<'fee' | 'interchange' | 'vat', number>> | null
}

const amounts = ['gross', 'fee', 'interchange', 'vat'] as const

/** 14.3: what the events of a receipt add to the sums. @throws Finding */
export const checkReceipt = (
  what: string,
  receipt: {
    readonly not_covered_yet: number
    readonly entries: readonly { readonly index: number; readonly line?: Proved }[]
  },
  lines: readonly Line[] | undefined,
): void => {
  const indexes = receipt.entries.map(({ index }) => index)
  if (new Set(indexes).size < indexes.length)
    throw new Finding('receipt', `${what} proves ${indexes.join()}`)
  if (!lines) return
  const shown = receipt.entries.flatMap(({ line }) => {
    if (!line?.charge) return []
    const { fee, interchange, vat } = line.charge
    return [[line.currency, line.amount + line.additional_amount, fee, interchange, vat].join(' ')]
  })
  const right = lines
    .filter(({ kind }) => kind !== 'settlement_fee')
    .map(({ currency, ...line }) =>
      [currency, ...amounts.map((name) => minorOf(currency, line[name]))].join(' '),
    )
  const isAll = receipt.not_covered_yet === 0 ? shown.length === right.length : true
  const left = [...right]
  const isIn = (one: string): boolean => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  if (!isAll || !shown.every(isIn))
    throw new Finding('receipt', `${what} proves ${shown.join()}, and should prove ${right.join()}`)
}

/** 20.2: captured and refunded by day and currency. @throws Finding */
export const checkFunding = (
  days: readonly Entry[],
  lines: readonly Line[],
  dayOf: (date: string) => string,
): void => {
  for (const kind of ['captured', 'refunded'] as const) {
    const sums = new Map<string, number>()
    const note = (key: string, sum: number): void => void sums.set(key, (sums.get(key) ?? 0) + sum)
    for (const { day, currency, [kind]: sum } of days)
      note(`${day} ${currency}`, minorOf(`${currency}`, `${sum}`))
    for (const { date, currency, gross, ...line } of lines)
      if (line.kind === (kind === 'captured' ? 'capture' : 'refund'))
        note(`${dayOf(date)} ${currency}`, -minorOf(currency, gross))
    const [wrong] = [...sums].filter(([, sum]) => sum !== 0)
    if (wrong) throw new Finding('funding', `${wrong[1]} of ${wrong[0]} is too much ${kind}`)
  }
}
