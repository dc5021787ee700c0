import { randomBytes } from 'node:crypto'
import { noStream, type EventStore, type NewEvent } from '../application/event-store.ts'
import { newEvents } from '../application/new-events.ts'
import { noFees } from '../domain/accounting/fees.ts'
import { callbacks, payments } from '../domain/aggregates.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { PaymentRequest } from '../domain/payment/payment-events.ts'
import type { Payment } from '../domain/payment/payment-state.ts'
import { streamOf } from '../domain/stream.ts'
import { openPlace } from '../harness/ledger-service.ts'
import { deriveIds, makeDigest, timedUuid } from '../infrastructure/event-store/event-entry.ts'

/* Histories of payments, decided by the service's decider: every log of the bench has these. */

/** Events that follow a revision of a stream. */
export type Appending = {
  readonly stream: string
  readonly after: number
  readonly events: readonly NewEvent[]
}

/** The outcome of a payment. */
export type Fate =
  | ('captured' | 'in parts' | 'refunded' | 'refunded in part' | 'released')
  | ('declined' | 'expired' | 'waiting' | 'authorized' | 'in many parts')

type About = {
  readonly merchant: string
  readonly count: number
  readonly at: number
  readonly fate: Fate
  readonly posId?: string
  readonly amount?: number
  readonly customer?: string
  /** Each event has a message that was delivered there. */
  readonly callbackUri?: string | null
}

const manyParts = 10_000

const terms = { ...noFees, transactionFixed: 180, interchangeRate: '0.01' }

const payer = 'alice'

const requestOf = (about: About): PaymentRequest => ({
  merchant: about.merchant,
  posId: about.posId ?? 'till-1',
  posTid: `order-${about.count}`,
  action: 'auth',
  currency: 'NOK',
  amount: about.fate === 'in many parts' ? manyParts + 5_000 : (about.amount ?? 25_000),
  additionalAmount: 0,
  additionalEdit: false,
  allowCredit: false,
  customer: about.customer ?? '4799999901',
  maxScanAge: 60,
  expiresIn: 21_600,
  text: 'Two coffees and a bun',
  successReturnUri: null,
  failureReturnUri: null,
  requiredScope: null,
  requiredScopeText: null,
  ledger: 'default',
  callbackUri: about.callbackUri ?? null,
  displayMessageUri: null,
  lineItems: [],
  links: [],
})

const commandsFor = (fate: Fate, at: number, request: PaymentRequest): PaymentCommand[] => {
  const facts = { payer: { id: payer }, posIsKnown: true, ledgerIsOpen: true }
  const requested: PaymentCommand = { type: 'RequestPayment', at, request, facts }
  const none = { additionalAmount: null, credit: false }
  const accepted: PaymentCommand = { type: 'AuthorizePayment', at: at + 5_000, payer, ...none }
  const part = (id: string, amount: number) => {
    return { id, currency: request.currency, amount, additionalAmount: 0 }
  }
  const capture = (id: string, amount: number, after = 60_000): PaymentCommand => {
    return { type: 'CapturePayment', at: at + after, wanted: part(id, amount), terms }
  }
  const refund = (amount: number): PaymentCommand => {
    return { type: 'RefundPayment', text: 'Returned', terms, wanted: part('back', amount) }
  }
  const whole = capture('all', request.amount)
  const third = Math.floor(request.amount / 3)
  switch (fate) {
    case 'waiting':
      return [requested]
    case 'authorized':
      return [requested, accepted]
    case 'captured':
      return [requested, accepted, whole]
    case 'in parts': {
      const parts = [capture('one', third), capture('two', third, 90_000)]
      return [requested, accepted, ...parts, { type: 'ReleasePayment', at: at + 99_000 }]
    }
    case 'in many parts': {
      const parts = Array.from({ length: manyParts }, (_, index) => capture(`c-${index}`, 1))
      return [requested, accepted, ...parts]
    }
    case 'refunded':
      return [requested, accepted, whole, refund(request.amount)]
    case 'refunded in part':
      return [requested, accepted, whole, refund(third)]
    case 'released':
      return [requested, { type: 'ReleasePayment', at: at + 9_000 }]
    case 'declined':
      return [requested, { type: 'DeclinePayment', at: at + 5_000, payer }]
    case 'expired':
      return [requested, { type: 'ExpirePayment', at: at + 21_600_000 }]
  }
}

/** Events of a stream, with ids that depend on the stream and the time. */
export const appending = (
  stream: string,
  after: number,
  events: readonly { readonly type: string; readonly data: object }[],
  origin: { readonly at: number; readonly merchant: string; readonly actor: string },
): Appending => {
  const eventId = (id: string, revision: number) => timedUuid(`${id}/${revision}`, origin.at)
  const caused = { ...origin, correlationId: `bench-${origin.at}` }
  return { stream, after, events: newEvents(eventId, stream, after, events, '', caused) }
}

/** The attempts that delivered the messages of events. */
const deliveriesOf = ({ stream, after, events }: Appending, uri: string): Appending[] =>
  events.flatMap((event, index) => {
    const { at, merchant, schema } = event.metadata as unknown as Record<string, number & string>
    const name = callbackNameOf(event.type, Number(schema))
    if (name === undefined) return []
    const data = {
      subject: stream,
      revision: after + 1 + index,
      event: name,
      seqno: 1,
      uri,
      attemptedAt: at,
      result: 'delivered',
      httpStatus: 200,
      problem: null,
      nextAttemptAt: null,
    }
    const origin = { at: Number(at), merchant: String(merchant), actor: 'user:pos1' }
    const events = [{ type: 'CallbackAttempted', data }]
    return [appending(streamOf(callbacks, event.id), noStream, events, origin)]
  })

type TidOf = (merchant: string, posId: string, posTid: string) => string

/** What each command of a payment appends, in order, each with its delivered messages. */
export const historyOf = (about: About, tidOf: TidOf): readonly Appending[][] => {
  const { decider } = payments
  const { merchant, fate, callbackUri } = about
  const request = requestOf(about)
  const stream = streamOf(payments, tidOf(merchant, request.posId, request.posTid))
  let state: Payment = decider.initial
  let { at } = about
  let revision = noStream as number
  return commandsFor(fate, about.at, request).map((command) => {
    at = 'at' in command ? command.at : at + 60_000
    const decided = decider.decide(command, state)
    for (const event of decided) state = decider.evolve(state, event, { at, position: 0 })
    const step = appending(stream, revision, decided, { at, merchant, actor: 'user:pos1' })
    revision += decided.length
    return callbackUri ? [step, ...deliveriesOf(step, callbackUri)] : [step]
  })
}

/** Of ten payments six are captured in parts, one is released, one declined, two are refunded. */
const fateOf = (count: number): Fate => {
  const fates: readonly Fate[] = ['released', 'declined', 'refunded', 'refunded']
  return fates[count % 10] ?? 'in parts'
}

const appendAll = async (store: EventStore, all: readonly Appending[]): Promise<unknown> =>
  Promise.all(all.map(({ stream, after, events }) => store.append(stream, events, after)))

/** A long stream takes several appends. */
const eventsAtOnce = 500

export const appendHistory = async (
  store: EventStore,
  history: readonly Appending[],
): Promise<void> => {
  const streams = new Map<string, NewEvent[]>()
  for (const { stream, events } of history) {
    const before = streams.get(stream) ?? []
    before.push(...events)
    streams.set(stream, before)
  }
  for (const [stream, events] of streams)
    for (let from = 0; from < events.length; from += eventsAtOnce)
      await store.append(stream, events.slice(from, from + eventsAtOnce), from + noStream)
}

const appendsAtOnce = 500

const began = Date.UTC(2026, 0, 1)

const randomTidOf = deriveIds(makeDigest(randomBytes(32).toString('base64')), 'clustered', 'tid')

/** Fills a log with payment histories of several merchants, with at least this many events. */
export const seed = async (
  store: EventStore,
  atLeast: number,
  merchantOf: (count: number) => string = () => 'sandbox',
): Promise<number> => {
  let events = 0
  for (let count = 0; events < atLeast;) {
    const batch = Array.from({ length: appendsAtOnce }, () => {
      const at = began + count * 1_000
      const about = { merchant: merchantOf(count), count, at, fate: fateOf(count) }
      count += 1
      return historyOf(about, randomTidOf).flat()
    })
    await Promise.all(batch.map((history) => appendHistory(store, history)))
    for (const step of batch.flat()) events += step.events.length
  }
  return events
}

const underWay = 2_000

/** Events between two checkpoints, and between two closings of the report. */
const [eventsOfCheckpoint, eventsOfReport] = [10_000, 100_000]

/** Messages of one payment in this many are delivered. */
const deliveredOf = 5

/** A valid log of at least this many events, as a service would have written it: its folder. */
export const makeAuditedLog = async (
  atLeast: number,
  say: (text: string) => void,
): Promise<string> => {
  const place = await openPlace()
  const { tidOf } = place.core
  const start = place.core.now()
  let [started, events, report] = [0, 0, 1]
  const begin = (): Appending[][] => {
    const callbackUri = started % deliveredOf === 0 ? 'https://shop.example/hook' : null
    const at = start + started * 5
    const about = { merchant: 'sandbox', count: started, at, fate: fateOf(started), callbackUri }
    started += 1
    return [...historyOf(about, tidOf)]
  }
  const open = Array.from({ length: underWay }, begin)
  while (events < atLeast) {
    const before = events
    const steps = open.map((payment) => payment.shift() ?? [])
    await appendAll(place.core.store, steps.map(([step]) => step ?? []).flat())
    await appendAll(
      place.core.store,
      steps.flatMap(([, ...deliveries]) => deliveries),
    )
    for (const step of steps.flat()) events += step.events.length
    for (const [slot, payment] of open.entries()) if (payment.length === 0) open[slot] = begin()
    const passed = (every: number) => Math.floor(events / every) > Math.floor(before / every)
    if (passed(eventsOfCheckpoint)) await place.sandbox('clock/', { advance_seconds: 11 })
    if (!passed(eventsOfReport)) continue
    await place.close(report++)
    await place.sandbox('settlement/', { merchant: 'sandbox' })
    say(`${events} events`)
  }
  await place.sandbox('clock/', { advance_seconds: 11 })
  await place.stop()
  return place.directory
}
