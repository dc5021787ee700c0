import { permissionRequests } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import { explainAccount, isAccount, sumUpAccount, type AccountName } from './explain-account.ts'
import { explainPayment, sumUpPayment } from './explain-payment.ts'
import { explainReport, sumUpReport, type ReportName } from './explain-report.ts'
import { explainSettlement, sumUpSettlement, type SettlementName } from './explain-settlement.ts'
import { explainCallback, explainStream } from './explain-stream.ts'
import type { ExplainNeeds } from './needs.ts'
import type { NamedNumber, Story, SumOfParts } from './story.ts'

/** What can be explained, recognised by its notation. */
type Subject =
  | ({ readonly kind: 'report' } & ReportName)
  | ({ readonly kind: 'settlement' } & SettlementName)
  | ({ readonly kind: 'account' } & AccountName)
  | { readonly kind: 'callback'; readonly id: string }
  | { readonly kind: 'payment'; readonly id: string }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-display)?$/

/** A stream of its own kind is told as what it is of. */
const ofStream = /^(?:payment|permission|callback)-(?=.)/

const subjectOf = ({ rows }: ExplainNeeds, given: string): Subject => {
  const text = given.replace(ofStream, '')
  const [first = '', second, third, ...more] = text.split('/')
  const isNumber = (part: string | undefined) => /^[1-9]\d{0,14}$/.test(part ?? '')
  if (isAccount(first) && third === undefined)
    return { kind: 'account', account: first, merchant: second ?? null }
  if (second !== undefined && isNumber(third) && more.length === 0)
    return { kind: 'report', merchant: first, ledger: second, number: Number(third) }
  if (isNumber(second) && third === undefined)
    return { kind: 'settlement', merchant: first, serial: Number(second) }
  const settlement = rows.settlementNamed(text)
  if (settlement) return { kind: 'settlement', ...settlement }
  return { kind: uuid.test(text) ? 'callback' : 'payment', id: text }
}

/** The story of a subject; undefined if it does not exist. */
export const explain = async (needs: ExplainNeeds, text: string): Promise<Story | undefined> => {
  const subject = subjectOf(needs, text)
  switch (subject.kind) {
    case 'report':
      return explainReport(needs, subject)
    case 'settlement':
      return explainSettlement(needs, subject)
    case 'account':
      return explainAccount(needs, subject)
    case 'callback':
      return explainCallback(needs, subject.id)
    case 'payment':
      return (
        (await explainPayment(needs, subject.id)) ??
        (await explainStream(needs, streamOf(permissionRequests, subject.id))) ??
        (/^[a-z_]+-/.test(text) ? explainStream(needs, text) : undefined)
      )
  }
}

/** Accepts `payout`, or `payout:NOK` if there are several currencies. */
const numberNamed = (numbers: readonly NamedNumber[], wanted: string): NamedNumber | undefined => {
  const [name, currency] = wanted.split(':')
  const found = numbers.filter((one) => one.name === name)
  return currency === undefined && found.length === 1
    ? found[0]
    : found.find((one) => one.currency === currency?.toUpperCase())
}

/** The events that add up to a number of a story. */
export const sumUp = async (
  needs: ExplainNeeds,
  text: string,
  { numbers }: Story,
  wanted: string,
): Promise<SumOfParts | undefined> => {
  const subject = subjectOf(needs, text)
  const number = numberNamed(numbers, wanted)
  if (!number) return undefined
  const { name, currency } = number
  switch (subject.kind) {
    case 'report':
      return sumUpReport(needs, subject, name, currency)
    case 'settlement':
      return sumUpSettlement(needs, subject, name, currency)
    case 'account':
      return sumUpAccount(needs, subject, currency)
    case 'payment':
      return sumUpPayment(needs, subject.id, name)
    case 'callback':
      return undefined
  }
}
