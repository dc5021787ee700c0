import { callbacks, corrections, permissionRequests } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import { explainAccount, isAccount, sumUpAccount, type AccountName } from './explain-account.ts'
import { explainPayment, sumUpPayment } from './explain-payment.ts'
import { explainReport, sumUpReport, type ReportName } from './explain-report.ts'
import { explainSettlement, sumUpSettlement, type SettlementName } from './explain-settlement.ts'
import type { ExplainNeeds } from './needs.ts'
import {
  type NamedNumber,
  type Story,
  type SumOfParts,
  type Entry,
  entryOf,
  mostEntries,
} from './story.ts'
import { streamOfSubject } from '../../domain/callback-names.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { historyOf } from '../../application/find-state.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

const eventsOf = async ({ store }: ExplainNeeds, stream: string): Promise<Recorded[]> => {
  const all: Recorded[] = []
  for await (const events of historyOf(store, stream)) all.push(...events)
  return all
}

const nothingMore = { numbers: [], more: 0 }

/** The story of any stream; undefined if it does not exist. */
const explainStream = async (needs: ExplainNeeds, stream: string): Promise<Story | undefined> => {
  const events = await eventsOf(needs, stream)
  if (events.length === 0) return undefined
  const entries: Entry[] = []
  for (const event of events.slice(0, mostEntries)) entries.push(await entryOf(needs, event))
  const more = events.length - entries.length
  const says = [needs.texts.events({ count: events.length })]
  return { title: stream, says, entries, ...nothingMore, more }
}

const outcomeOf = (attempts: readonly Recorded[], texts: Catalogue['story']): string => {
  const made = attempts.flatMap(({ type, data }) => (type === 'CallbackAttempted' ? [data] : []))
  const last = made.at(-1)
  if (!last) return texts.callbackNobody
  if (made.some(({ result }) => result === 'delivered'))
    return texts.callbackDelivered({ count: made.length })
  if (last.nextAttemptAt === null) return texts.callbackGivenUp
  return texts.callbackOpen({ count: made.length })
}

/** The event that a message announces, and the delivery attempts. */
const explainCallback = async (
  needs: ExplainNeeds,
  message: string,
): Promise<Story | undefined> => {
  const attempts = await eventsOf(needs, streamOf(callbacks, message))
  const [first] = attempts
  if (!first) return undefined
  const about = 'subject' in first.data && 'seqno' in first.data ? first.data : undefined
  const events = about
    ? await needs.store.readStream(streamOfSubject(about.subject), about.revision, 1)
    : []
  const entries: Entry[] = []
  for (const event of [...events.map(parseEvent), ...attempts.slice(0, mostEntries)])
    entries.push(await entryOf(needs, event, { told: [] }))
  const { texts } = needs
  const title = about
    ? texts.callbackOf({
        id: message,
        number: about.seqno,
        subject: about.subject,
        event: about.event,
      })
    : texts.callback({ id: message })
  return { title, says: [outcomeOf(attempts, texts)], entries, ...nothingMore }
}

/** What can be explained, recognised by its notation. */
export type Subject =
  | ({ readonly kind: 'report' } & ReportName)
  | ({ readonly kind: 'settlement' } & SettlementName)
  | ({ readonly kind: 'account' } & AccountName)
  | { readonly kind: 'callback'; readonly id: string }
  | { readonly kind: 'payment'; readonly id: string }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-display)?$/

/** A stream of its own kind is told as what it is of. */
const ofStream = /^(?:payment|permission|callback|correction)-(?=.)/

export const subjectOf = (rows: ExplainNeeds['rows'], name: string): Subject => {
  const text = name.replace(ofStream, '')
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
  const subject = subjectOf(needs.rows, text)
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
        (await explainStream(needs, streamOf(corrections, subject.id))) ??
        (/^[a-z_]+-/.test(text) ? explainStream(needs, text) : undefined)
      )
  }
}

/** Accepts `payout`, or `payout:NOK` if there are several currencies. */
const numberNamed = (numbers: readonly NamedNumber[], named: string): NamedNumber | undefined => {
  const [name, currency] = named.split(':')
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
  named: string,
): Promise<SumOfParts | undefined> => {
  const subject = subjectOf(needs.rows, text)
  const number = numberNamed(numbers, named)
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
