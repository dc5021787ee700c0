import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { start, type EventStore, type RecordedEvent } from '../application/event-store.ts'
import { isWanted, type EventFilter } from '../audit/explain/browse.ts'
import type { Check } from '../audit/explain/needs.ts'
import { proveOrder, type OrderProof } from '../audit/explain/prove-order.ts'
import { checkHasCome } from '../audit/as-of/write-as-of.ts'
import { provingWith } from '../audit/verify/audit-checkpoints.ts'
import { payers } from '../domain/aggregates.ts'
import { withIsoTimes } from '../domain/event-times.ts'
import {
  eventCatalogue,
  isEventType,
  parseEvent,
  schemaVersion,
  UnreadableEvent,
  type EventType,
} from '../domain/events.ts'
import { consentsOf, isInForce } from '../audit/explain/consents.ts'
import { streamOf } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import type { OpenedStore } from '../infrastructure/stores.ts'
import { instantOf } from './arguments.ts'
import {
  command,
  flag,
  line,
  onLog,
  preset,
  several,
  show,
  value,
  type ValuesOf,
} from './command.ts'

const positionOf = (text: string): number => {
  const position = /^\d+$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(position) ? position : fail(`${text} is not a position in the log`)
}

const typeOf = (text: string): readonly string[] =>
  isEventType(text) ? [text] : fail(`there is no event ${text}: audit catalogue lists them all`)

const options = {
  stream: value('<name>', 'only this stream, for instance payment-…'),
  request: value('<id>', 'only events of this request, by its X-Request-Id'),
  after: preset('<position>', 'only events after this position', start, positionOf),
  from: value('<time>', 'only from this time on, such as 2026-05-17T12:00:00Z', instantOf),
  to: value('<time>', 'only before this time', instantOf),
  type: several('<type>', 'only events of this type; may be repeated', typeOf),
  merchant: value('<id>', 'only events of this merchant'),
  actor: value('<name>', 'only what this one caused: user:pos1, operator, operator:<account>'),
  iso: flag('print times as ISO 8601 instead of as they are stored'),
}

const isChosen = ({ request, after, type: types, ...filter }: ValuesOf<typeof options>) => {
  const isIt = isWanted(filter as EventFilter)
  return (event: RecordedEvent): boolean =>
    event.position > after &&
    (types === undefined || types.includes(event.type)) &&
    (request === undefined || event.metadata['correlationId'] === request) &&
    isIt(event)
}

/**
 * Prints an event exactly as stored, including unknown fields, for comparison with a copy. Reports
 * an event that this version cannot read.
 */
const printEvent = (stored: RecordedEvent, isIso: boolean): void => {
  const { stream, revision, position, id, type, data, metadata } = stored
  const printed = { stream, revision, position, id, type, data, metadata }
  line(isIso ? withIsoTimes(printed) : printed)
  try {
    parseEvent(stored)
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

const eventsOf = async (store: EventStore, stream: string): Promise<readonly RecordedEvent[]> => {
  const events = await store.readStream(stream)
  return events.length === 0 ? fail(`there is no stream ${stream}`) : events
}

export const eventsCommand = onLog({
  name: 'events',
  about: 'print events as JSON Lines, in order',
  options,
  run: async ({ store }, chosen) => {
    const isIt = isChosen(chosen)
    const print = (events: readonly RecordedEvent[]): void => {
      for (const event of events) if (isIt(event)) printEvent(event, chosen.iso ?? false)
    }
    if (chosen.stream !== undefined) return print(await eventsOf(store, chosen.stream))
    for await (const batch of store.readAll(chosen.after)) print(batch)
  },
})

const withId = async ({ readAll }: OpenedStore, id: string) => {
  for await (const batch of readAll(start)) {
    const found = batch.find((event) => event.id === id)
    if (found) return found
  }
  return undefined
}

/** An event by its position, its id, or its stream and revision. @throws OperatorError */
const eventNamed = async (store: OpenedStore, name: string): Promise<RecordedEvent> => {
  const [, stream, revision = ''] = /^(.+-.*)@(\d{1,9})$/s.exec(name) ?? []
  const [inStream] = stream === undefined ? [] : await store.readStream(stream, Number(revision), 1)
  const found = /^\d{1,15}$/.test(name)
    ? await store.readAt(Number(name))
    : (inStream ?? (await withId(store, name)))
  return found ?? fail(`there is no event ${name}: give a position, an id, or <stream>@<revision>`)
}

const marks = { true: 'holds', false: 'DOES NOT HOLD', null: 'unknown' } as const

const checkText = ({ holds, says }: Check): string => `${marks[`${holds}`]}: ${says}\n`

const proofText = ({ verdict, checks }: OrderProof): string =>
  `${checks.map(checkText).join('')}${verdict}\n`

export const proofCommand = onLog({
  name: 'proof-of-order <event>',
  about:
    'check the signature that an event keeps, with the key that was registered then; ' +
    'the event by position, id or <stream>@<revision>',
  options: {
    body: value('<file>', 'the body of the request, where the event does not keep it'),
  },
  run: async (terminal, name, { body: file }) => {
    const { store } = terminal
    const event = parseEvent(await eventNamed(store, name))
    const body = file === undefined ? undefined : readFileSync(file, 'utf8')
    const proof = await proveOrder(provingWith(store), event, body)
    const { stream, revision, position, id, type } = event
    const of = { event: { stream, revision, position, id, type }, ...proof }
    const head = `event ${position}: ${type}, revision ${revision} of ${stream}\n`
    show(terminal, of, head + proofText(proof))
    if (!proof.holds) process.exitCode = 1
  },
})

export const consentsCommand = onLog({
  name: 'consents <payer>',
  about: 'print the consents of a payer (by id, see payer find) with the events that prove them',
  options: {
    at: value(
      '<time>',
      'only consents in force then, for instance 2026-05-17T12:00:00Z',
      instantOf,
    ),
  },
  run: async ({ store }, payer, { at }) => {
    if (at !== undefined) await checkHasCome(store, at)
    const consents = consentsOf(payer)
    for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
    const all = consents.all()
    if (all.length === 0 && (await store.readStream(streamOf(payers, payer))).length === 0)
      fail(`there is no payer ${payer}`)
    all.filter((one) => at === undefined || isInForce(one, at)).forEach(line)
  },
})

const catalogue = () =>
  (Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    type,
    schema: schemaVersion(type),
    data: z.toJSONSchema(eventCatalogue[type]),
  }))

export const catalogueCommand = command({
  name: 'catalogue',
  about: 'print every event type with its JSON Schema',
  run: () => catalogue().forEach(line),
})
