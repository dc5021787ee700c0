import {
  START,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { ignore, within } from './eventstoredb-calls.ts'
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

export const collect = async (timeout: number, reading: Reading): Promise<ResolvedEvent[]> => {
  // An error after the reader has stopped would otherwise end the process.
  reading.on?.('error', ignore)
  const gather = async (heard: () => void): Promise<ResolvedEvent[]> => {
    const events: ResolvedEvent[] = []
    for await (const event of reading) {
      heard()
      events.push(event)
    }
    return events
  }
  try {
    // The events of a full batch may be many megabytes.
    return await within(timeout, gather)
  } finally {
    reading.cancel?.().catch(ignore)
  }
}

export const all = { doing: 'reading', stream: '$all' } as const

/** Reads the end of the log: the cheapest request that shows whether a server responds. */
export const readEnd = (
  client: EventStoreDBClient,
  timeout: number,
  from?: Position,
  maxCount = 1,
): Promise<readonly ResolvedEvent[]> => {
  const options = { ...backwards(from, maxCount), requiresLeader: true }
  return collect(timeout, client.readAll(options))
}
