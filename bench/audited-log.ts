import { randomUUID } from 'node:crypto'
import { callbacks, payments } from '../domain/aggregates.ts'
import type { JsonObject, NewEvent } from '../application/event-store.ts'
import { noFees } from '../domain/accounting/fees.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { Payment } from '../domain/payment/payment-state.ts'
import { streamOf } from '../domain/stream.ts'
import { openPlace, type Place } from '../harness/ledger-service.ts'
import { commandsOf, requestOf } from './histories.ts'

/** Payments open at the same time. */
const underWay = 2_000
/** Events between two checkpoints, and between two closings of the report. */
const eventsOfCheckpoint = 10_000
const eventsOfReport = 100_000
/** One message in this many is delivered. */
const deliveredOf = 5

/** The fees of the sandbox's captures. */
const terms = { ...noFees, transactionFixed: 180, interchangeRate: '0.01' }

type Started = {
  readonly stream: string
  readonly commands: PaymentCommand[]
  state: Payment
  revision: number
  at: number
}

const eventOf = (type: string, data: object, at: number): NewEvent => ({
  id: randomUUID(),
  type,
  data: data as JsonObject,
  metadata: {
    ...{ at, merchant: 'sandbox', actor: 'user:pos1', correlationId: randomUUID() },
    ...{ causationId: null, schema: schemaVersion(type as EventType) },
  },
})

const deliver = async ({ core }: Place, stream: string, revision: number, told: NewEvent) => {
  const name = callbackNameOf(told.type, Number(told.metadata['schema']))
  if (name === undefined) return 0
  const at = Number(told.metadata['at'])
  const message = { subject: stream, revision, event: name, seqno: 1 }
  const answer = { result: 'delivered', httpStatus: 200, problem: null, nextAttemptAt: null }
  const attempt = { ...message, uri: 'https://shop.example/hook', attemptedAt: at, ...answer }
  const event = eventOf('CallbackAttempted', attempt, at)
  await core.store.append(streamOf(callbacks, told.id), [event], -1)
  return 1
}

/** Executes the next command of a payment; returns the number of events. */
const proceed = async (place: Place, payment: Started, count: number): Promise<number> => {
  const command = payment.commands.shift()
  if (!command) return 0
  payment.at = 'at' in command ? command.at : payment.at + 1_000
  const { stream, at, revision } = payment
  const given = 'terms' in command ? { ...command, terms } : command
  const decided = payments.decider.decide(given, payment.state)
  const events = decided.map(({ type, data }) => eventOf(type, data, at))
  await place.core.store.append(stream, events, revision)
  payment.revision += events.length
  for (const event of decided)
    payment.state = payments.decider.evolve(payment.state, event, { at, position: 0 })
  const [first] = events
  const isDelivered = first && count % deliveredOf === 0
  return events.length + (isDelivered ? await deliver(place, stream, revision + 1, first) : 0)
}

/** A valid log of at least this many events, as a service would have written it. */
export const makeAuditedLog = async (atLeast: number, say: (text: string) => void) => {
  const place = await openPlace()
  const { tidOf } = place.core
  const began = place.core.now()
  let [started, events, report] = [0, 0, 1]
  const begin = (): Started => {
    const request = requestOf(started, 'sandbox')
    const stream = streamOf(payments, tidOf('sandbox', request.posId, request.posTid))
    const at = began + started * 5
    const commands = commandsOf(started, at, request)
    started += 1
    return { stream, commands, state: payments.decider.initial, revision: -1, at }
  }
  let open = Array.from({ length: underWay }, begin)
  while (events < atLeast) {
    const before = events
    const made = await Promise.all(open.map((payment, index) => proceed(place, payment, index)))
    for (const count of made) events += count
    open = open.map((payment) => (payment.commands.length > 0 ? payment : begin()))
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
