import {
  START,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { start, StoreUnavailable, type Position } from '../../application/event-store.ts'
import { ignore, within } from './eventstoredb-calls.ts'
import type { CurrentClient } from './eventstoredb-connection.ts'
import { backwards } from './eventstoredb-head.ts'

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
