import type { Command } from 'commander'
import { z } from 'zod'
import { payers } from '../../domain/aggregates.ts'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
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
import { auditTree, type TreeOptions } from './audit-tree.ts'
import { examine } from './examine.ts'
import { addSecurityAudit } from './security-audit.ts'
import { instantOf } from './time.ts'

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

const countOf = (text: string): number =>
  /^\d{1,15}$/.test(text) ? Number(text) : fail(`${text} is no number of events`)

const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

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
 * Prints an event exactly as stored, unknown fields included, for comparison with a copy. Reports
 * one that this version cannot read.
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
  isWanted: (event: RecordedEvent) => boolean,
): Promise<void> => {
  const events = await store.readStream(stream)
  if (events.length === 0) fail(`there is no stream ${stream}`)
  events.filter((event) => event.position > after && isWanted(event)).forEach(printEvent)
}

const printConsents = async (store: EventStore, payer: string, at?: number): Promise<void> => {
  const consents = consentsOf(payer)
  for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
  const all = consents.all()
  if (all.length === 0 && (await store.readStream(streamOf(payers, payer))).length === 0)
    fail(`there is no payer ${payer}`)
  all.filter((one) => at === undefined || isInForce(one, at)).forEach(line)
}

type Chosen = { readonly stream?: string; readonly request?: string; readonly after: number }

/** Commands for auditors: the log as stored, and the catalogue of events. */
export const addAuditCommands = (program: Command, settings: Settings): void => {
  const audit = program.command('audit').description('read the log, without a service')
  audit
    .command('events')
    .description('print events as JSON Lines, in order')
    .option('--stream <name>', 'only this stream, for instance payment-…')
    .option('--request <id>', 'only events of this request, by its X-Request-Id')
    .option('--after <position>', 'only events after this position', positionOf, start)
    .action(({ stream, request, after }: Chosen) =>
      withStore(settings, async (store) => {
        const isWanted = ({ metadata }: RecordedEvent): boolean =>
          request === undefined || metadata['correlationId'] === request
        if (stream !== undefined) return printStream(store, stream, after, isWanted)
        for await (const batch of store.readAll(after)) batch.filter(isWanted).forEach(printEvent)
      }),
    )
  audit
    .command('consents <payer>')
    .description(
      'print the consents of a payer (by id, see payer find) with the events that prove them',
    )
    .option(
      '--at <time>',
      'only consents in force then, for instance 2026-05-17T12:00:00Z',
      instantOf,
    )
    .action((payer: string, { at }: { at?: number }) =>
      withStore(settings, (store) => printConsents(store, payer, at)),
    )
  audit
    .command('check')
    .description('read every event and report missing positions or revisions, and damage')
    .action(() =>
      withStore(settings, async (store) => {
        const { problems, ...found } = await examine(store, settings)
        line(found)
        for (const problem of problems) process.stderr.write(`${problem}\n`)
        if (problems.length > 0) process.exitCode = 1
      }),
    )
  audit
    .command('tree')
    .description('print the root of the Merkle tree of all events, and proofs in it')
    .option('--size <n>', 'of the first events only', countOf)
    .option('--root <base64>', 'fail unless this is the root')
    .option('--index <n>', 'prove that this event is in it, from 0', countOf)
    .option('--from <n>', 'prove that the tree of the first events is its beginning', countOf)
    .action((options: TreeOptions) =>
      withStore(settings, async (store) => void line(await auditTree(store, options))),
    )
  audit
    .command('catalogue')
    .description('print every event type with its JSON Schema')
    .action(() => catalogue().forEach(line))
  addSecurityAudit(audit, program, settings)
}
