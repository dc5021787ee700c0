import { newEvents } from '../application/new-events.ts'
import type { NewEvent } from '../application/event-store.ts'
import { callbacks, payments } from '../domain/aggregates.ts'
import { noFees } from '../domain/accounting/fees.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { PaymentRequest } from '../domain/payment/payment-events.ts'
import type { Payment } from '../domain/payment/payment-state.ts'
import { streamOf } from '../domain/stream.ts'
import { timedUuid } from '../infrastructure/event-store/event-ids.ts'
import { requestOf } from './histories.ts'

/** Pseudo-random numbers with a fixed seed. */
export const numbersFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export const posCount = 300

export type Appending = { readonly stream: string; readonly events: readonly NewEvent[] }

const terms = { ...noFees, transactionFixed: 180, interchangeRate: '0.01' }
const payer = 'alice'

/** The outcome of a payment. */
export type Fate =
  | ('captured' | 'in parts' | 'refunded' | 'refunded in part' | 'released')
  | ('declined' | 'expired' | 'waiting' | 'authorized' | 'in many parts')

/** Of a hundred payments, most are captured at once. */
export const fateOf = (number: number): Fate => {
  if (number < 62) return 'captured'
  if (number < 82) return 'in parts'
  if (number < 86) return 'refunded'
  if (number < 89) return 'refunded in part'
  if (number < 94) return 'released'
  return number < 98 ? 'declined' : 'expired'
}

/** The maximum number of captures per payment. */
const manyParts = 10_000

const part = (id: string, request: PaymentRequest, amount: number) => ({
  ...{ id, currency: request.currency, amount, additionalAmount: 0 },
})

const commandsFor = (fate: Fate, at: number, request: PaymentRequest): PaymentCommand[] => {
  const facts = { payer: { id: payer }, posIsKnown: true, ledgerIsOpen: true }
  const asked: PaymentCommand = { type: 'RequestPayment', at, request, facts }
  const none = { additionalAmount: null, credit: false }
  const accepted: PaymentCommand = { type: 'AuthorizePayment', at: at + 5_000, payer, ...none }
  const capture = (id: string, amount: number, after = 60_000): PaymentCommand => ({
    ...{ type: 'CapturePayment', at: at + after, wanted: part(id, request, amount), terms },
  })
  const refund = (amount: number): PaymentCommand => ({
    ...{ type: 'RefundPayment', text: 'Returned', terms },
    wanted: part('back', request, amount),
  })
  const whole = capture('all', request.amount)
  const third = Math.floor(request.amount / 3)
  switch (fate) {
    case 'waiting':
      return [asked]
    case 'authorized':
      return [asked, accepted]
    case 'captured':
      return [asked, accepted, whole]
    case 'in parts': {
      const parts = [capture('one', third), capture('two', third, 90_000)]
      return [asked, accepted, ...parts, { type: 'ReleasePayment', at: at + 99_000 }]
    }
    case 'in many parts': {
      const parts = Array.from({ length: manyParts }, (_, index) => capture(`c-${index}`, 1))
      return [asked, accepted, ...parts]
    }
    case 'refunded':
      return [asked, accepted, whole, refund(request.amount)]
    case 'refunded in part':
      return [asked, accepted, whole, refund(third)]
    case 'released':
      return [asked, { type: 'ReleasePayment', at: at + 9_000 }]
    case 'declined':
      return [asked, { type: 'DeclinePayment', at: at + 5_000, payer }]
    case 'expired':
      return [asked, { type: 'ExpirePayment', at: at + 21_600_000 }]
  }
}

type About = {
  readonly merchant: string
  readonly count: number
  readonly at: number
  readonly fate: Fate
  readonly posId: string
  readonly amount: number
  readonly customer: string
  readonly callbackUri?: string | null
}

const originOf = (at: number, merchant: string) => ({
  ...{ at, merchant, actor: 'user:pos1', correlationId: `bench-${at}` },
})

/** The attempt that delivered an event's message. */
const deliveryOf = (stream: string, revision: number, told: NewEvent, uri: string): Appending[] => {
  const name = callbackNameOf(told.type, Number(told.metadata['schema']))
  if (name === undefined) return []
  const { at, merchant } = told.metadata as { readonly at: number; readonly merchant: string }
  const data = {
    ...{ subject: stream, revision, event: name, seqno: 1, uri, attemptedAt: at },
    ...{ result: 'delivered', httpStatus: 200, problem: null, nextAttemptAt: null },
  }
  const of = streamOf(callbacks, told.id)
  const events = [{ type: 'CallbackAttempted', data }]
  const eventId = (id: string, number: number) => timedUuid(`${id}/${number}`, at)
  return [{ stream: of, events: newEvents(eventId, of, -1, events, '', originOf(at, merchant)) }]
}

/** The history of a payment, decided by the service's decider, with its callback attempts. */
export const portalHistory = (about: About, tid: string): Appending[] => {
  const { decider } = payments
  const { merchant, count, at, fate, posId, amount, customer, callbackUri = null } = about
  const stream = streamOf(payments, tid)
  const varied = { posId, posTid: `order-${count}`, customer, callbackUri }
  const sum = fate === 'in many parts' ? manyParts + 5_000 : amount
  const request = { ...requestOf(count, merchant), ...varied, amount: sum }
  let state: Payment = decider.initial
  let time = at
  const events: NewEvent[] = []
  for (const command of commandsFor(fate, at, request)) {
    time = 'at' in command ? command.at : time + 1_200_000
    const decided = decider.decide(command, state)
    const eventId = (id: string, revision: number) => timedUuid(`${id}/${revision}`, time)
    const revision = events.length - 1
    events.push(...newEvents(eventId, stream, revision, decided, '', originOf(time, merchant)))
    for (const event of decided) state = decider.evolve(state, event, { at: time, position: 0 })
  }
  const told =
    callbackUri === null
      ? []
      : events.flatMap((event, revision) => deliveryOf(stream, revision, event, callbackUri))
  return [{ stream, events }, ...told]
}
