import type { Command } from 'commander'
import { z } from 'zod'
import { payers } from '../../domain/aggregates.ts'
import {
  noStream,
  start,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import {
  eventCatalogue,
  parseEvent,
  schemaVersion,
  UnreadableEvent,
  type EventType,
} from '../../domain/events.ts'
import { consentsOf, isInForce } from '../../domain/people/consent.ts'
import { streamOf } from '../../domain/stream.ts'
import { fail } from '../failures.ts'
import type { Settings } from '../settings.ts'
import { openStoreToRead, type OpenedStore } from '../stores.ts'
import { instantOf } from './time.ts'

/** Every event type with the version and the JSON Schema of its data. */
const catalogue = () =>
  (Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    type,
    schema: schemaVersion(type),
    data: z.toJSONSchema(eventCatalogue[type]),
  }))

const positionOf = (text: string): number => {
  const position = /^\d+$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(position) ? position : fail(`${text} is no position in the log`)
}

const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

/** Reads the log, and leaves it whatever comes of that. */
const withStore = async (
  settings: Settings,
  read: (store: OpenedStore) => Promise<void>,
): Promise<void> => {
  const store = await openStoreToRead(settings)
  try {
    await read(store)
  } finally {
    await store.close()
  }
}

/**
 * Prints an event as it stands in the log, with whatever nobody reads of it: what is compared with a copy is the log and
 * not what this version makes of it. One that this version cannot read is told of, too.
 */
const printEvent = (stored: RecordedEvent): void => {
  const { stream, revision, position, id, type, data, metadata } = stored
  line({ stream, revision, position, id, type, data, metadata })
  try {
    parseEvent(stored)
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

const printStream = async (
  store: EventStore,
  stream: string,
  after: number,
  isAsked: (event: RecordedEvent) => boolean,
): Promise<void> => {
  const events = await store.readStream(stream)
  if (events.length === 0) fail(`there is no stream ${stream}`)
  events.filter((event) => event.position > after && isAsked(event)).forEach(printEvent)
}

const printConsents = async (store: EventStore, payer: string, at?: number): Promise<void> => {
  const consents = consentsOf(payer)
  for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
  const all = consents.all()
  if (all.length === 0 && (await store.readStream(streamOf(payers, payer))).length === 0)
    fail(`there is no payer ${payer}`)
  all.filter((one) => at === undefined || isInForce(one, at)).forEach(line)
}

/** As many as anybody reads; there may be one for each event. */
const gapsTold = 100

/**
 * Reads every event, and tells where revisions of a stream are missing, and positions where each is given to an event
 * of ours. Of a file of ours, it tells what is damaged, too.
 */
const printGaps = async (store: OpenedStore, { EVENT_STORE }: Settings): Promise<void> => {
  const damage = store.log?.damage() ?? []
  const revisions = new Map<string, Revision>()
  const gaps: string[] = []
  let events = 0
  let last: Position = start
  for await (const batch of store.readAll(start))
    for (const { stream, revision, position } of batch.map(parseEvent)) {
      const expected = (revisions.get(stream) ?? noStream) + 1
      if (EVENT_STORE === 'sqlite' && position !== last + 1)
        gaps.push(`positions ${last + 1} to ${position - 1} are missing`)
      if (revision !== expected)
        gaps.push(`${stream} has revision ${revision} at position ${position}, not ${expected}`)
      revisions.set(stream, revision)
      last = position
      events += 1
    }
  line({
    events,
    streams: revisions.size,
    last_position: last,
    gaps: gaps.length,
    damage: damage.length,
  })
  for (const problem of [...gaps.slice(0, gapsTold), ...damage])
    process.stderr.write(`${problem}\n`)
  if (gaps.length + damage.length > 0) process.exitCode = 1
}

type Chosen = { readonly stream?: string; readonly request?: string; readonly after: number }

/** What an auditor reads: the log as it stands, each event checked against the catalogue, and the catalogue itself. */
export const addAuditCommands = (program: Command, settings: Settings): void => {
  const audit = program.command('audit').description('read the log, without a service')
  audit
    .command('events')
    .description('print events as JSON Lines, in order')
    .option('--stream <name>', 'only this stream, for instance payment-…')
    .option('--request <id>', 'only what came of this request, by its X-Request-Id')
    .option('--after <position>', 'only what came after this position', positionOf, start)
    .action(({ stream, request, after }: Chosen) =>
      withStore(settings, async (store) => {
        const isAsked = ({ metadata }: RecordedEvent): boolean =>
          request === undefined || metadata['correlationId'] === request
        if (stream !== undefined) return printStream(store, stream, after, isAsked)
        for await (const batch of store.readAll(after)) batch.filter(isAsked).forEach(printEvent)
      }),
    )
  audit
    .command('consents <payer>')
    .description(
      'print what a payer (by id, see payer find) let merchants know, with the events that prove it',
    )
    .option(
      '--at <time>',
      'only what was in force then, for instance 2026-05-17T12:00:00Z',
      instantOf,
    )
    .action((payer: string, { at }: { at?: number }) =>
      withStore(settings, (store) => printConsents(store, payer, at)),
    )
  audit
    .command('check')
    .description(
      'read every event, and tell where positions or revisions are missing, or a file is damaged',
    )
    .action(() => withStore(settings, (store) => printGaps(store, settings)))
  audit
    .command('catalogue')
    .description('print every event type with its JSON Schema')
    .action(() => catalogue().forEach(line))
}
