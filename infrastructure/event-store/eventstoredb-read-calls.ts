import {
  START,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
  streamNameFilter,
} from '@eventstore/db-client'
import {
  start,
  StoreUnavailable,
  type Position,
  type EventStore,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { ignore, within, positionOf, type Own } from './eventstoredb-calls.ts'
import type { CurrentClient } from './eventstoredb-connection.ts'
import { backwards } from './eventstoredb-head.ts'
import type { WithRetries } from './eventstoredb-retries.ts'
import { categoryOf } from '../../domain/stream.ts'

/** Number of foreign events after which the server filters out their category. */
const enough = 100

/** Maximum number of filtered categories, because the pattern is matched against each event. */
const mostCategories = 50

const passable = /^[\w.]{1,64}$/

/**
 * What the server need not send: system events, and those of other applications once their stream
 * category is known. Filtering by this version's own stream prefixes would be wrong: a newer
 * version writing concurrently has others, and its events count too.
 */
export const makeFilter = (isOurs: (event: RecordedEvent) => boolean) => {
  const counts = new Map<string, number>()
  const ours = new Set<string>()
  const passedOver = new Set<string>()

  const isOursByName = (stream: string): boolean => {
    const nameless = { id: '', type: '', revision: 0, position: 0, data: {}, metadata: {} }
    return isOurs({ ...nameless, stream })
  }

  const countForeign = (category: string, stream: string): void => {
    if (passedOver.size >= mostCategories || !passable.test(category)) return
    const count = (counts.get(category) ?? 0) + 1
    counts.set(category, count)
    if (count < enough || isOursByName(stream)) return
    counts.delete(category)
    passedOver.add(category)
  }

  return {
    note: ({ event }: ResolvedEvent, isOwn: boolean): void => {
      if (!event || event.streamId.startsWith('$')) return
      const category = categoryOf(event.streamId)
      if (isOwn) ours.add(category)
      else if (!ours.has(category)) countForeign(category, event.streamId)
    },
    /** Increases when more is filtered out. */
    version: (): number => passedOver.size,
    /** `checkpointReached` receives the position up to which the server has scanned. */
    forServer: (checkpointReached: (position: bigint) => void) => {
      const names = [...passedOver].map((category) => category.replaceAll('.', '\\.'))
      const others = names.length > 0 ? `|(?:${names.join('|')})(?:-|$)` : ''
      return streamNameFilter({
        regex: `^(?!\\$${others})`,
        checkpointReached: async (_, { commit }) => checkpointReached(commit),
      })
    },
  }
}

export type Filter = ReturnType<typeof makeFilter>

/** Events per call: a failed call is repeated as a whole. */
export const readBatch = 1_000

/** A Node stream; KurrentDB's own client offers only the iteration. */
type Reading = AsyncIterable<ResolvedEvent> & {
  cancel?(): Promise<void>
  on?(event: 'error', listener: (error: Error) => void): unknown
}

export const at = (position: Position): ReadPosition =>
  position === start ? START : { commit: BigInt(position), prepare: BigInt(position) }

export const collect = async (
  timeout: number,
  client: CurrentClient,
  read: (client: EventStoreDBClient) => Reading,
): Promise<ResolvedEvent[]> => {
  let reading: Reading | undefined
  let isOver = false
  const gather = async (heard: () => void): Promise<ResolvedEvent[]> => {
    const events: ResolvedEvent[] = []
    const current = await client()
    if (isOver) return events
    reading = read(current)
    // An error after the reader has stopped would otherwise end the process.
    reading.on?.('error', ignore)
    for await (const event of reading) {
      heard()
      events.push(event)
    }
    // The client ends a read that it cancels as if it were whole.
    if ((await client()) !== current) throw new StoreUnavailable('the connection was replaced')
    return events
  }
  try {
    // The events of a full batch may be many megabytes.
    return await within(timeout, gather)
  } finally {
    isOver = true
    reading?.cancel?.().catch(ignore)
  }
}

export const all = { doing: 'reading', stream: '$all' } as const

/** Reads the end of the log: the cheapest request that shows whether a server responds. */
export const readEnd = (
  client: CurrentClient,
  timeout: number,
  from?: Position,
  maxCount = 1,
): Promise<readonly ResolvedEvent[]> => {
  const options = { ...backwards(from, maxCount), requiresLeader: true }
  return collect(timeout, client, (current) => current.readAll(options))
}

export type Readable = { readonly client: CurrentClient; readonly own: Own }

/** Reads that start at an event's position. */
export const readPlaces = (
  { client, own }: Readable,
  withRetries: WithRetries,
): Pick<EventStore, 'readBack' | 'readAt'> => ({
  readBack: async (before, limit) => {
    const found: RecordedEvent[] = []
    const count = Math.min(readBatch, Math.max(limit, 32))
    for (let from = before; ;) {
      const events = await withRetries(all, (timeout) => readEnd(client, timeout, from, count))
      found.push(...events.flatMap((resolved) => own(resolved) ?? []))
      const last = events.at(-1)
      if (found.length >= limit || events.length < count || !last) return found.slice(0, limit)
      from = positionOf(last)
    }
  },
  readAt: async (position) => {
    if (position === start) return undefined
    const options = { fromPosition: at(position), maxCount: 1 }
    const [first] = await withRetries(all, (timeout) =>
      collect(timeout, client, (current) => current.readAll(options)),
    )
    const event = first && own(first)
    return event?.position === position ? event : undefined
  },
})
