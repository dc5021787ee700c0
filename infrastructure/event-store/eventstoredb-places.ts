import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { positionOf, type Own } from './eventstoredb-calls.ts'
import type { CurrentClient } from './eventstoredb-connection.ts'
import type { WithRetries } from './eventstoredb-retries.ts'
import { all, at, collect, readBatch, readEnd } from './eventstoredb-read-calls.ts'

type Readable = { readonly client: CurrentClient; readonly own: Own }

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
