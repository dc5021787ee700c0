import type { Command } from 'commander'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { withIsoTimes } from '../../domain/event-times.ts'
import { isEventType, parseEvent, UnreadableEvent } from '../../domain/events.ts'
import { fail } from '../failures.ts'
import type { Settings } from '../settings.ts'
import { collect } from './arguments.ts'
import { line, withStore } from './audit-store.ts'
import { instantOf } from './time.ts'

const positionOf = (text: string): number => {
  const position = /^\d+$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(position) ? position : fail(`${text} is no position in the log`)
}

const typeOf = (text: string, earlier: readonly string[] = []): string[] =>
  isEventType(text)
    ? collect(text, earlier)
    : fail(`there is no event ${text}: audit catalogue lists them all`)

type Chosen = {
  readonly stream?: string
  readonly request?: string
  readonly after: number
  readonly from?: number
  readonly to?: number
  readonly type?: readonly string[]
  readonly merchant?: string
  readonly actor?: string
  readonly iso?: true
}

/** Commands are also known by the account that ran them: `operator:root`. */
const actorsOf = ({ actor, operator }: RecordedEvent['metadata']): readonly unknown[] =>
  operator ? [actor, `operator:${(operator as { account: string }).account}`] : [actor]

const isChosen =
  ({ request, after, from, to, type, merchant, actor }: Chosen) =>
  ({ type: itsType, position, metadata }: RecordedEvent): boolean =>
    position > after &&
    (from === undefined || Number(metadata['at']) >= from) &&
    (to === undefined || Number(metadata['at']) < to) &&
    (type === undefined || type.includes(itsType)) &&
    (request === undefined || metadata['correlationId'] === request) &&
    (merchant === undefined || metadata['merchant'] === merchant) &&
    (actor === undefined || actorsOf(metadata).includes(actor))

/**
 * Prints an event exactly as stored, unknown fields included, for comparison with a copy. Reports
 * one that this version cannot read.
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

/** `daybook audit events`: the log as it is stored, or the part of it that is asked for. */
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
        const isWanted = isChosen(chosen)
        const print = (events: readonly RecordedEvent[]): void => {
          for (const event of events) if (isWanted(event)) printEvent(event, chosen.iso ?? false)
        }
        if (chosen.stream !== undefined) return print(await eventsOf(store, chosen.stream))
        for await (const batch of store.readAll(chosen.after)) print(batch)
      }),
    )
}
