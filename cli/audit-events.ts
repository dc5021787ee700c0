import type { Command } from 'commander'
import { isWanted, type Wanted } from '../audit/explain/browse.ts'
import { start, type EventStore, type RecordedEvent } from '../application/event-store.ts'
import { withIsoTimes } from '../domain/event-times.ts'
import { isEventType, parseEvent, UnreadableEvent } from '../domain/events.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { collect, instantOf } from './arguments.ts'
import { line, withStore } from './audit-verify.ts'

const positionOf = (text: string): number => {
  const position = /^\d+$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(position) ? position : fail(`${text} is not a position in the log`)
}

const typeOf = (text: string, earlier: readonly string[] = []): string[] =>
  isEventType(text)
    ? collect(text, earlier)
    : fail(`there is no event ${text}: audit catalogue lists them all`)

type Chosen = Omit<Wanted, 'type'> & {
  readonly request?: string
  readonly after: number
  readonly type?: readonly string[]
  readonly iso?: true
}

const isChosen = ({ request, after, type: types, ...wanted }: Chosen) => {
  const isIt = isWanted(wanted)
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
  const shown = { stream, revision, position, id, type, data, metadata }
  line(isIso ? withIsoTimes(shown) : shown)
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

/** `daybook audit events`: prints the stored log, or part of it. */
export const addAuditEvents = (audit: Command, settings: Settings): void => {
  audit
    .command('events')
    .description('print events as JSON Lines, in order')
    .option('--stream <name>', 'only this stream, for instance payment-…')
    .option('--request <id>', 'only events of this request, by its X-Request-Id')
    .option('--after <position>', 'only events after this position', positionOf, start)
    .option('--from <time>', 'only from this time on, such as 2026-05-17T12:00:00Z', instantOf)
    .option('--to <time>', 'only before this time', instantOf)
    .option('--type <type>', 'only events of this type; may be repeated', typeOf)
    .option('--merchant <id>', 'only events of this merchant')
    .option('--actor <name>', 'only what this one caused: user:pos1, operator, operator:<account>')
    .option('--iso', 'print times as ISO 8601 instead of as they are stored')
    .action((chosen: Chosen) =>
      withStore(settings, async (store) => {
        const isIt = isChosen(chosen)
        const print = (events: readonly RecordedEvent[]): void => {
          for (const event of events) if (isIt(event)) printEvent(event, chosen.iso ?? false)
        }
        if (chosen.stream !== undefined) return print(await eventsOf(store, chosen.stream))
        for await (const batch of store.readAll(chosen.after)) print(batch)
      }),
    )
}
