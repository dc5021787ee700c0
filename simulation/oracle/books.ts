import { minorOf, moneyText } from './money.ts'
import {
  availableOf,
  capturedOf,
  lawfulAt,
  type Expected,
  type Part,
  type Payment,
  type Pots,
} from './payment.ts'
import { sentenceOf, type Rule } from './rules.ts'

/** An answer that no sentence of the interface allows. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly rule: Rule
  constructor(rule: Rule, what: string) {
    super(what)
    this.rule = rule
  }
  /** What went wrong, and the sentence that says so. */
  story(): string {
    return `${this.message}\ninterface: "${sentenceOf(this.rule)}"`
  }
}

type Range = { readonly from: number; readonly to: number }

/** The states in which a payment may lawfully be: several while an answer is missing. */
export type Possible = readonly Payment[]

const keyOf = (payment: Payment): string => JSON.stringify(payment)
const unique = (payments: Possible): Possible => [
  ...new Map(payments.map((payment) => [keyOf(payment), payment])).values(),
]

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** What may be so while a request is under way. */
export const during = (possible: Possible, { from, to }: Range): Possible =>
  unique(possible.flatMap((payment) => [...lawfulAt(payment, from), ...lawfulAt(payment, to)]))

const stateText = ({ status, code, captures, refunds }: Payment): string =>
  `${status} ${code}, ${captures.length} captures, ${refunds.length} refunds`

/** What may be so after an answer. @throws Finding */
export const afterAnswer = (
  possible: Possible,
  expect: (payment: Payment) => Expected,
  status: number,
): Possible => {
  const all = possible.map((payment) => ({ payment, ...expect(payment) }))
  const lawful = all.filter(({ statuses }) => statuses.includes(status))
  const [first] = all
  if (lawful.length === 0 && first)
    throw new Finding(
      first.rule,
      `expected ${first.statuses.join(' or ')} of a payment that is ${stateText(first.payment)}, ` +
        `and the answer was ${status}`,
    )
  return unique(
    lawful.flatMap(({ payment, after, also = after }) =>
      isSuccess(status) ? [after, also] : [payment],
    ),
  )
}

/** What may be so if nobody knows whether a request was done. */
export const afterSilence = (
  possible: Possible,
  expect: (payment: Payment) => Expected,
): Possible =>
  unique(
    possible.flatMap((payment) => {
      const { statuses, after } = expect(payment)
      return statuses.some(isSuccess) ? [payment, after] : [payment]
    }),
  )

type PartReply = { readonly id: string | null; amount: string; additional_amount: string }

export type OutcomeReply = {
  readonly currency: string
  readonly status: string
  readonly status_code: number
  readonly date_expires: string
  readonly captures: readonly PartReply[]
  readonly refunds: readonly PartReply[]
} & Readonly<Record<'amount' | 'auth_amount' | 'released_amount', string>> &
  Readonly<Record<`${'' | 'auth_' | 'released_'}additional_amount`, string>>

const partsText = (currency: string, parts: readonly Part[]): string =>
  parts
    .map(({ id, amount, extra }) => [id, moneyText(currency, amount), moneyText(currency, extra)])
    .join('; ')

const asReply = (payment: Payment): readonly (readonly [string, unknown])[] => {
  const { currency, status, code, requested, released, captures, refunds } = payment
  const money = (name: string, { amount, extra }: Pots) =>
    [
      [`${name}amount`, moneyText(currency, amount)],
      [`${name}additional_amount`, moneyText(currency, extra)],
    ] as const
  return [
    ...[['status', status] as const, ['status_code', code] as const],
    ...money('', requested),
    ...money('auth_', availableOf(payment)),
    ...money('released_', released),
    ...[['captures', partsText(currency, captures)] as const],
    ...[['refunds', partsText(currency, refunds)] as const],
  ]
}

const partList = (parts: readonly PartReply[]): string =>
  parts.map(({ id, amount, additional_amount: extra }) => [id, amount, extra]).join('; ')

const instants = ({ expires: { from, to } }: Payment): string =>
  [from, to].map((at) => new Date(at).toISOString()).join(' to ')

const differences = (payment: Payment, reply: OutcomeReply): readonly string[] => {
  const parts = { captures: partList(reply.captures), refunds: partList(reply.refunds) }
  const replied = { ...reply, ...parts } as Readonly<Record<string, unknown>>
  const wrong = asReply(payment).filter(([name, value]) => replied[name] !== value)
  const expires = Date.parse(`${reply.date_expires.replace(' ', 'T')}Z`)
  const isOpen = payment.status === 'pending' || payment.status === 'auth'
  const isLate = isOpen && (expires < payment.expires.from || expires > payment.expires.to)
  return [
    ...wrong.map(([name, value]) => `${name} is "${replied[name]}" and should be "${value}"`),
    ...(isLate ? [`date_expires is ${reply.date_expires} and should be ${instants(payment)}`] : []),
  ]
}

/** Interface 4.6: amount = captured + released + available, in either pot. @throws Finding */
const checkSums = (reply: OutcomeReply): void => {
  const minor = (text: string) => minorOf(reply.currency, text)
  for (const pot of ['amount', 'additional_amount'] as const) {
    const captured = reply.captures.reduce((sum, part) => sum + minor(part[pot]), 0)
    const rest = minor(reply[`auth_${pot}`]) + minor(reply[`released_${pot}`])
    const isEnded = reply.status === 'auth' || captured > 0
    if (isEnded && captured + rest !== minor(reply[pot]))
      throw new Finding('outcome', `${pot} ${reply[pot]} is not captured + released + available`)
  }
}

/** What is so, as an outcome shows it. @throws Finding */
export const afterOutcome = (possible: Possible, reply: OutcomeReply): Possible => {
  checkSums(reply)
  const compared = possible.map((payment) => ({ payment, wrong: differences(payment, reply) }))
  const right = compared.filter(({ wrong }) => wrong.length === 0)
  const [nearest] = compared.toSorted((one, other) => one.wrong.length - other.wrong.length)
  if (right.length === 0) throw new Finding('fresh', nearest?.wrong.join(', ') ?? 'it is unknown')
  const expires = Date.parse(`${reply.date_expires.replace(' ', 'T')}Z`)
  return right.map(({ payment }) => ({ ...payment, expires: { from: expires, to: expires } }))
}

type Sums = { readonly captures: number; readonly refunds: number; readonly gross: number }

/** What the lines of payments add up to in a currency (interface 8.3, 8.4, 10.1). */
export const sumsOf = (
  payments: readonly Payment[],
  currency: string,
  report: number | 'all',
): Sums => {
  const own = payments.filter((payment) => payment.currency === currency)
  const within = (parts: readonly Part[]) =>
    parts.filter((part) => report === 'all' || part.report === report)
  const grossOf = (parts: readonly Pots[]) =>
    parts.reduce((sum, { amount, extra }) => sum + amount + extra, 0)
  const [captures, refunds] = [
    own.flatMap((payment) => within(payment.captures)),
    own.flatMap((payment) => within(payment.refunds)),
  ]
  const disputes = own.flatMap((payment) => payment.disputes)
  const isWithin = (one: number | null) => one !== null && (report === 'all' || one === report)
  const taken = disputes.filter((one) => isWithin(one.report))
  const givenBack = disputes.filter(({ wonIn }) => isWithin(wonIn))
  const gross = grossOf(captures) - grossOf(refunds) - grossOf(taken) + grossOf(givenBack)
  return { captures: captures.length, refunds: refunds.length, gross }
}

/** Amounts can never exceed what was authorised. @throws Finding */
export const checkTotals = (payment: Payment, moved: (kind: string) => number): void => {
  const total = ({ amount, extra }: Pots): number => amount + extra
  const captured = total(capturedOf(payment))
  const returned = payment.refunds.reduce((sum, part) => sum + total(part), 0)
  const wasAuthorized = payment.callbacks.includes('payment_authorized')
  const kinds = {
    capture: captured,
    refund: returned,
    release: wasAuthorized ? total(payment.released) : 0,
  }
  for (const [kind, sum] of Object.entries(kinds))
    if (moved(kind) !== sum)
      throw new Finding('bankTold', `the bank moved ${moved(kind)} by ${kind}, and ${sum} is so`)
}
