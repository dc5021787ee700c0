import type { Command } from 'commander'
import { z } from 'zod'
import { payers } from '../../application/aggregates.ts'
import { start, type EventStore } from '../../application/event-store.ts'
import { streamOf } from '../../application/handle.ts'
import { consentsOf, isInForce } from '../../domain/consent.ts'
import { eventCatalogue, parseEvent, schemaVersion, type EventType } from '../../domain/events.ts'
import type { Settings } from '../settings.ts'
import { openStore } from '../stores.ts'
import { fail } from './error.ts'

/** Every event type with the version and the JSON Schema of its data. */
const catalogue = () =>
  (Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    type,
    schema: schemaVersion(type),
    data: z.toJSONSchema(eventCatalogue[type]),
  }))

const instant = (text: string): number => {
  const at = Date.parse(text)
  return Number.isNaN(at) ? fail(`${text} is no time such as 2026-05-17T12:00:00Z`) : at
}

const positionOf = (text: string): number => {
  const position = /^\d+$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(position) ? position : fail(`${text} is no position in the log`)
}

const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

/** Reads the log, and leaves it whatever comes of that. */
const withStore = async (
  settings: Settings,
  read: (store: EventStore) => Promise<void>,
): Promise<void> => {
  const store = openStore(settings)
  try {
    await read(store)
  } finally {
    await store.close()
  }
}

const printStream = async (store: EventStore, stream: string, after: number): Promise<void> => {
  const events = await store.readStream(stream)
  if (events.length === 0) fail(`there is no stream ${stream}`)
  events
    .map(parseEvent)
    .filter(({ position }) => position > after)
    .forEach(line)
}

const printConsents = async (store: EventStore, payer: string, at?: number): Promise<void> => {
  const consents = consentsOf(payer)
  for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
  const all = consents.all()
  if (all.length === 0 && (await store.readStream(streamOf(payers, payer))).length === 0)
    fail(`there is no payer ${payer}`)
  all.filter((one) => at === undefined || isInForce(one, at)).forEach(line)
}

/** What an auditor reads: the log as it stands, each event checked against the catalogue, and the catalogue itself. */
export const addAuditCommands = (program: Command, settings: Settings): void => {
  const audit = program.command('audit').description('read the log, without a service')
  audit
    .command('events')
    .description('print events as JSON Lines, in order')
    .option('--stream <name>', 'only this stream, for instance payment-…')
    .option('--after <position>', 'only what came after this position', positionOf, start)
    .action(({ stream, after }: { stream?: string; after: number }) =>
      withStore(settings, async (store) => {
        if (stream !== undefined) return printStream(store, stream, after)
        for await (const batch of store.readAll(after)) batch.map(parseEvent).forEach(line)
      }),
    )
  audit
    .command('consents <payer>')
    .description('print what a payer (by id) let merchants know, with the events that prove it')
    .option(
      '--at <time>',
      'only what was in force then, for instance 2026-05-17T12:00:00Z',
      instant,
    )
    .action((payer: string, { at }: { at?: number }) =>
      withStore(settings, (store) => printConsents(store, payer, at)),
    )
  audit
    .command('catalogue')
    .description('print every event type with its JSON Schema')
    .action(() => catalogue().forEach(line))
}
