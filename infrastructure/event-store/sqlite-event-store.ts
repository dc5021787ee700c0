import {
  DamagedEvent,
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
  type Appended,
  type NewEvent,
  type JsonObject,
} from '../../application/event-store.ts'
import { acceptAppend, uuidOf } from './event-entry.ts'
import type { OpenOptions, Pace, Use } from './sqlite-event-file.ts'
import { openEventLog, type Committing, type EventLog } from './sqlite-event-log.ts'
import type { Heading, Row } from './sqlite-event-rows.ts'
import { nextTurn } from '../../application/machine.ts'

/** Number of events kept at least, once there have been so many. */
const kept = 100

/** The last events appended by this thread, so that followers need not read them again. */
export const makeTail = () => {
  let events: RecordedEvent[] = []

  const add = (stream: string, added: readonly NewEvent[], { revision, position }: Appended) => {
    const first = position - added.length + 1
    const next = (events.at(-1)?.position ?? 0) + 1
    // A repeated append: the events are already here.
    if (first < next) return
    // Other processes wrote in between, and the cache must have no gap.
    if (first > next) events = []
    else if (events.length >= 2 * kept) events = events.slice(-kept)
    let before = added.length
    for (const { id, type, data, metadata } of added) {
      before -= 1
      events.push({
        stream,
        revision: revision - before,
        position: position - before,
        id,
        type,
        data,
        metadata,
      })
    }
  }

  return {
    add,
    /** The events after a position; empty if the first of them is not cached. */
    after: (position: Position): readonly RecordedEvent[] => {
      const first = events[0]?.position
      return first === undefined || position + 1 < first ? [] : events.slice(position + 1 - first)
    },
  }
}

type Tail = ReturnType<typeof makeTail>

/** Number of events read and parsed per batch. */
const readBatch = 1_000

const followBatch = 1_000

/** Maximum characters of an event cached for followers; larger ones are read again. */
const largestKept = 65_536

/** Files of the first format have no checksums that would have detected this. */
const parsed = ([position, stream, revision]: Row, json: string) => {
  try {
    return JSON.parse(json)
  } catch {
    throw new DamagedEvent({ stream, revision, position }, 'it is not JSON')
  }
}

/** The events among the rows. A row that is not JSON was not appended through this port. */
const eventsOf = (rows: readonly Row[]): RecordedEvent[] => {
  const events: RecordedEvent[] = []
  for (const row of rows) {
    const [position, stream, revision, id, type, data, metadata, , leaf] = row
    if (typeof data !== 'string') continue
    events.push({
      stream,
      revision,
      position,
      id: uuidOf(id),
      type,
      data: parsed(row, data),
      metadata: typeof metadata === 'string' ? parsed(row, metadata) : {},
      ...(leaf && { leaf }),
    })
  }
  return events
}

async function* readAll(log: EventLog, after: Position): AsyncGenerator<RecordedEvent[]> {
  const end = log.head()
  let last = after
  while (last < end) {
    const rows = log.next(last, Math.min(readBatch, end - last))
    last = rows.at(-1)?.[0] ?? end
    const events = eventsOf(rows)
    if (events.length > 0) yield events
    // Lets other work run between batches, however fast the reader is.
    await nextTurn()
  }
}

/** Up to `limit` events of a stream from a revision on. */
const readStream = (log: EventLog, stream: string, from: Revision, limit: number) => {
  const events: RecordedEvent[] = []
  for (let next = from; ;) {
    const left = limit - events.length
    const rows = log.ofStream(stream, next, left)
    // One by one: there may be more than one call of `push` can take.
    for (const event of eventsOf(rows)) events.push(event)
    const last = rows.at(-1)
    if (!last || rows.length < left || events.length === limit) return events
    next = last[2] + 1
  }
}

/** An event of which little is looked at: its contents are read when they are asked for. */
class EventByHeading implements RecordedEvent {
  readonly stream: string
  readonly revision: Revision
  readonly position: Position
  readonly type: string
  readonly #log: EventLog
  readonly #heading: Heading
  constructor(log: EventLog, heading: Heading) {
    this.position = heading[0]
    this.stream = heading[1]
    this.revision = heading[2]
    this.type = heading[3]
    this.#log = log
    this.#heading = heading
  }
  get id(): string {
    return uuidOf(this.#heading[4])
  }
  get data(): JsonObject {
    return JSON.parse(this.#log.dataAt(this.position)) as JsonObject
  }
  get metadata(): JsonObject {
    const metadata = this.#heading[5]
    return typeof metadata === 'string' ? (JSON.parse(metadata) as JsonObject) : {}
  }
}

/** Follows no further than it is told: what is there has been checked by who tells. */
async function* followAtPace(
  log: EventLog,
  { end, grown }: Pace,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let last = after; !signal.aborted && !log.isClosed;) {
    const upTo = Math.min(last + followBatch, end())
    if (upTo <= last) await grown(last, signal)
    else {
      const events = log.headings(last, upTo).map((heading) => new EventByHeading(log, heading))
      last = upTo
      if (events.length > 0) yield events
      await nextTurn()
    }
  }
}

const readable = (log: EventLog, after: Position): Row[] => {
  try {
    // Acknowledged events only, though the file may contain more: the writer is notified first.
    const count = Math.max(0, log.end() - after)
    return log.next(after, Math.min(followBatch, count))
  } catch (error) {
    if (error instanceof StoreUnavailable) return []
    throw error
  }
}

async function* follow(
  log: EventLog,
  tail: Tail,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  let last = after
  let wasOwn = false
  while (!signal.aborted && !log.isClosed) {
    const own = tail.after(last)
    // Do not read the file right after own events: the following ones are usually own too and come
    // from the tail. Other processes' events are found after `grown`, which is awaited only after
    // an empty read.
    const rows = own.length > 0 || wasOwn ? [] : readable(log, last)
    last = own.at(-1)?.position ?? rows.at(-1)?.[0] ?? last
    wasOwn = own.length > 0
    const events = wasOwn ? own : eventsOf(rows)
    if (events.length > 0) yield events
    if (own.length + rows.length === 0) await log.grown(last, signal)
    // The appending caller is notified first.
    await nextTurn()
  }
}

/** The end of the log, read once for all callers before the next tick. */
const sharedHead = (log: EventLog) => {
  let reading: Promise<Position> | undefined
  return (): Promise<Position> =>
    (reading ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        reading = undefined
        try {
          resolve(log.end('json'))
        } catch (error) {
          reject(error as Error)
        }
      })
    }))
}

/**
 * The event store in one file of this machine; several processes may share it.
 * @throws Error if the file is something else, is from a newer version, cannot be made durable or
 *   lacks events that were written to it
 */
export const openSqliteEventStore = (
  file: string,
  use: Use = 'append',
  committing: Committing = 'inline',
  isAlone: () => boolean = () => false,
  options: OpenOptions = {},
): EventStore & { readonly log: EventLog } => {
  const log = openEventLog(file, use, committing, isAlone, options)
  const tail = makeTail()
  return {
    log,
    append: async (stream, events, expected, urgency) => {
      const rows = acceptAppend(stream, events, expected)
      const appended = await log.append(stream, rows, expected, urgency)
      if (rows.every(({ data }) => data.length <= largestKept)) tail.add(stream, events, appended)
      return appended
    },
    readStream: async (stream, from = 0, limit = Number.MAX_SAFE_INTEGER) => {
      const events = readStream(log, stream, from, limit)
      // After such a large read, let other work run.
      if (events.length >= readBatch) await nextTurn()
      return events
    },
    readAll: (after) => readAll(log, after),
    readBack: async (before = Number.MAX_SAFE_INTEGER, limit) =>
      eventsOf(log.all(before, limit, 'backwards')),
    readAt: async (position) => {
      const [event] = eventsOf(log.all(position - 1, 1))
      return event?.position === position ? event : undefined
    },
    follow: (after, signal) =>
      options.pace
        ? followAtPace(log, options.pace, after, signal)
        : follow(log, tail, after, signal),
    head: sharedHead(log),
    close: () => log.close(),
  }
}
