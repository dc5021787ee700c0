import {
  START,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { ignore, within } from './eventstoredb-calls.ts'
import { backwards } from './eventstoredb-head.ts'

/** Events that one call reads: a call that fails is repeated as a whole. */
export const readBatch = 1_000

/** A stream of Node; of KurrentDB's own client no more than can be iterated. */
type Reading = AsyncIterable<ResolvedEvent> & {
  cancel?(): Promise<void>
  on?(event: 'error', listener: (error: Error) => void): unknown
}

export const at = (position: Position): ReadPosition =>
  position === start ? START : { commit: BigInt(position), prepare: BigInt(position) }

export const collect = async (timeout: number, reading: Reading): Promise<ResolvedEvent[]> => {
  // An error that comes after the reading has been left would otherwise end the process.
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
    // As many events as are read at once may be many megabytes.
    return await within(timeout, gather)
  } finally {
    reading.cancel?.().catch(ignore)
  }
}

export const all = { doing: 'reading', stream: '$all' } as const

/** Reads the end of the log: the least that shows whether a server answers. */
export const readEnd = (
  client: EventStoreDBClient,
  timeout: number,
  from?: Position,
  maxCount = 1,
): Promise<readonly ResolvedEvent[]> => {
  const options = { ...backwards(from, maxCount), requiresLeader: true }
  return collect(timeout, client.readAll(options))
}
