import { parseEvent, type Recorded } from '../../domain/events.ts'
import { historyOf } from '../../application/find-state.ts'
import type { EventStore, Position, RecordedEvent } from '../../application/event-store.ts'

/** Which events to find; absent members match all. */
export type EventFilter = {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly type?: string | undefined
  readonly merchant?: string | undefined
  readonly actor?: string | undefined
  readonly stream?: string | undefined
}

type EventToChoose = Pick<RecordedEvent, 'stream' | 'type'> & {
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Commands also match the account that ran them: `operator:root`. */
const actorsOf = ({ actor, operator }: RecordedEvent['metadata']): readonly unknown[] =>
  operator ? [actor, `operator:${(operator as { account: string }).account}`] : [actor]

export const isWanted =
  ({ from, to, type, merchant, actor, stream }: EventFilter) =>
  (event: EventToChoose): boolean =>
    (from === undefined || Number(event.metadata['at']) >= from) &&
    (to === undefined || Number(event.metadata['at']) < to) &&
    (type === undefined || event.type === type) &&
    (stream === undefined || event.stream === stream) &&
    (merchant === undefined || event.metadata['merchant'] === merchant) &&
    (actor === undefined || actorsOf(event.metadata).includes(actor))

/** Maximum number of events scanned per page, so that a search cannot block others. */
const mostLookedAt = 5_000

type FoundEvents = {
  readonly events: readonly Recorded[]
  /** Where to continue, further back; undefined at the beginning of the log. */
  readonly before: Position | undefined
}

/** The newest matching events before one; reads larger batches until there are enough. */
export const browse = async (
  store: Pick<EventStore, 'readBack'>,
  filter: EventFilter,
  limit: number,
  before?: Position,
): Promise<FoundEvents> => {
  const isIt = isWanted(filter)
  const events: RecordedEvent[] = []
  let from = before
  let lookedAt = 0
  for (let count = limit; lookedAt < mostLookedAt; count = Math.min(2 * count, 1_000)) {
    const batch = await store.readBack(from, count)
    lookedAt += batch.length
    const found = batch.filter(isIt)
    const missing = limit - events.length
    events.push(...found.slice(0, missing))
    if (found.length > missing) return { events: events.map(parseEvent), before: lastOf(events) }
    if (batch.length < count) return { events: events.map(parseEvent), before: undefined }
    from = lastOf(batch)
  }
  return { events: events.map(parseEvent), before: from }
}

/** The newest matching events of one stream before a position. */
export const browseStream = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  filter: EventFilter,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<FoundEvents> => {
  const isIt = isWanted(filter)
  const found: Recorded[] = []
  for await (const events of historyOf(store, stream))
    found.push(...events.filter((event) => event.position < before && isIt(event)))
  const events = found.toReversed().slice(0, limit)
  return { events, before: found.length > limit ? events.at(-1)?.position : undefined }
}

const lastOf = (events: readonly RecordedEvent[]): Position | undefined => events.at(-1)?.position
