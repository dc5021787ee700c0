import {
  BACKWARDS,
  END,
  START,
  StreamNotFoundError,
  type EventStoreDBClient,
  type ReadPosition,
  type ResolvedEvent,
} from '@eventstore/db-client'
import {
  start,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { ignore, positionOf, within, type Own, type Persistently } from './eventstoredb-calls.ts'

/** Events that one call reads: a call that fails is repeated as a whole. */
const readBatch = 1_000

/** The newest event is the head, unless a node has just written one of its own. */
const headBatch = 1

type Reading = AsyncIterable<ResolvedEvent> & {
  cancel(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

const at = (position: Position): ReadPosition =>
  position === start ? START : { commit: BigInt(position), prepare: BigInt(position) }

const collect = async (timeout: number, reading: Reading): Promise<ResolvedEvent[]> => {
  // An error that comes after the reading has been left would otherwise end the process.
  reading.on('error', ignore)
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
    reading.cancel().catch(ignore)
  }
}

/**
 * One answer for all who ask before the question is put. Whoever comes later waits for the next one, but fails with the
 * present one: it has used up its patience, and the next one would do so again.
 */
export const shared = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let present: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | undefined
  const put = (): Promise<Answer> => {
    next = undefined
    const answer = ask()
    present = answer
    answer.catch(() => {
      present = Promise.resolve()
      next = undefined
    })
    return answer
  }
  return () => (next ??= present.then(put))
}

/** Reads of a client; none of them has a deadline of its own. */
export const readEvents = (client: EventStoreDBClient, persistently: Persistently, own: Own) => {
  /** What is known of the end of the log: up to where it was looked at, and the head that was found. */
  let known = { looked: start, head: start }

  const allBackwards = (from: Position | undefined, maxCount: number) =>
    persistently((timeout) =>
      collect(
        timeout,
        client.readAll({
          direction: BACKWARDS,
          fromPosition: from === undefined ? END : at(from),
          maxCount,
          requiresLeader: true,
        }),
      ),
    )

  // Events of the node and of others are not the head: no follower is handed them, so nobody could wait for them.
  const findHead = async (): Promise<Position> => {
    let newest: Position | undefined
    let from: Position | undefined
    for (let count = headBatch; ; count = readBatch) {
      const events = await allBackwards(from, count)
      for (const resolved of events) {
        const position = positionOf(resolved)
        newest ??= position
        const isHead = own(resolved) !== undefined
        if (!isHead && position > known.looked) continue
        known = { looked: newest, head: isHead ? position : known.head }
        return known.head
      }
      const last = events.at(-1)
      if (events.length < count || !last) {
        known = { looked: newest ?? start, head: start }
        return start
      }
      from = positionOf(last)
    }
  }

  const head = shared(findHead)

  const readStream = async (
    stream: string,
    from: Revision = 0,
    limit = Infinity,
  ): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = []
    for (let next = from; ;) {
      const maxCount = Math.min(readBatch, limit - found.length)
      const events = await persistently(async (timeout) => {
        const options = { fromRevision: BigInt(next), maxCount, requiresLeader: true }
        try {
          return await collect(timeout, client.readStream(stream, options))
        } catch (error) {
          if (error instanceof StreamNotFoundError) return []
          throw error
        }
      })
      found.push(...events.flatMap((resolved) => own(resolved) ?? []))
      const last = events.at(-1)?.event
      if (events.length < maxCount || !last || found.length === limit) return found
      next = Number(last.revision) + 1
    }
  }

  async function* readAll(after: Position): AsyncGenerator<RecordedEvent[]> {
    const end = await head()
    for (let last = after; last < end;) {
      // A read begins with the place that it is given, which has been handed out already.
      const maxCount = readBatch + 1
      const options = { fromPosition: at(last), maxCount }
      const read = await persistently((timeout) => collect(timeout, client.readAll(options)))
      const events = read
        .flatMap((resolved) => own(resolved) ?? [])
        .filter(({ position }) => position > last)
      if (events.length > 0) yield events
      const newest = read.at(-1)
      if (read.length < maxCount || !newest) return
      last = positionOf(newest)
    }
  }

  return { head, readStream, readAll }
}
