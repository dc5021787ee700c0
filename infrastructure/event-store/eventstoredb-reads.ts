import { StreamNotFoundError, type ResolvedEvent } from '@eventstore/db-client'
import type {
  EventStore,
  Position,
  RecordedEvent,
  Revision,
} from '../../application/event-store.ts'
import { ignore, positionOf, within, type Own } from './eventstoredb-calls.ts'
import type { CurrentClient } from './eventstoredb-connection.ts'
import {
  readPlaces,
  all,
  at,
  collect,
  readBatch,
  readEnd,
  type Filter,
} from './eventstoredb-read-calls.ts'
import { makeFindHead, type KnownEnd } from './eventstoredb-head.ts'
import type { WithRetries } from './eventstoredb-retries.ts'
import { placeAfter, subscribe } from './eventstoredb-subscription.ts'

/** Maximum concurrent reads: bursts of more make a node slow. */
const usuallyAtOnce = 32

/** A semaphore; others wait in order. */
const makeTurns = (most: number) => {
  const waiting: (() => void)[] = []
  let working = 0
  return {
    take: async (): Promise<void> => {
      if (working >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else working += 1
    },
    leave: (): void => {
      const next = waiting.shift()
      if (next) next()
      else working -= 1
    },
  }
}

/**
 * Limits concurrent reads, and joins reads of the same thing. A request during a read shares the
 * next one, because the current one may have started before the write it must see.
 */
export const joinReads = <Answer>(atOnce = usuallyAtOnce) => {
  const turns = makeTurns(atOnce)
  const present = new Map<string, Promise<Answer>>()
  const next = new Map<string, Promise<Answer>>()

  const put = async (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    await present.get(key)?.catch(ignore)
    await turns.take()
    next.delete(key)
    const answer = ask()
    present.set(key, answer)
    try {
      return await answer
    } finally {
      turns.leave()
      if (present.get(key) === answer) present.delete(key)
    }
  }

  return (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = next.get(key)
    if (known) return known
    const answer = put(key, ask)
    next.set(key, answer)
    return answer
  }
}

export type Readable = {
  readonly client: CurrentClient
  readonly own: Own
  readonly filter: Filter
  readonly known: KnownEnd
}

/** Batches of a subscription, resubscribing when it breaks. */
async function* arriving(readable: Readable, withRetries: WithRetries, after: Position) {
  const place = placeAfter(after)
  let open: ReturnType<typeof begin> | undefined
  const begin = () => {
    const left = new AbortController()
    const batches = subscribe({ ...readable, signal: left.signal }, place.at())
    const leave = (): void => {
      left.abort()
      batches.return(undefined).catch(ignore)
    }
    return { batches, leave }
  }
  const leave = (): void => {
    open?.leave()
    open = undefined
  }
  try {
    for (;;) {
      const next = await withRetries(
        all,
        (timeout) => within(timeout, (open ??= begin()).batches.next()),
        leave,
      )
      if (next.done) {
        leave()
        continue
      }
      yield next.value
      place.move(next.value)
    }
  } finally {
    leave()
  }
}

/** A client's reads, without deadlines of their own. */
export const readEvents = (readable: Readable, withRetries: WithRetries) => {
  const { client, own, filter, known } = readable

  const head = makeFindHead(known, own, (from, maxCount) =>
    withRetries(all, (timeout) => readEnd(client, timeout, from, maxCount)),
  )

  const readWhole = async (
    stream: string,
    from: Revision,
    limit: number,
  ): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = []
    const about = { doing: 'reading', stream } as const
    for (let next = from; ;) {
      const maxCount = Math.min(readBatch, limit - found.length)
      const events = await withRetries(about, async (timeout) => {
        const options = { fromRevision: BigInt(next), maxCount, requiresLeader: true }
        try {
          return await collect(timeout, client, (one) => one.readStream(stream, options))
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

  const join = joinReads<readonly RecordedEvent[]>()
  const readStream: EventStore['readStream'] = (stream, from = 0, limit = Infinity) =>
    join(`${stream}\n${from}\n${limit}`, () => readWhole(stream, from, limit))

  const ours = (events: readonly ResolvedEvent[], after: Position, end: Position) =>
    events
      .flatMap((resolved) => {
        const event = own(resolved)
        filter.note(resolved, event !== undefined)
        return event ?? []
      })
      .filter(({ position }) => position > after && position <= end)

  /** A small remainder is read at once; a larger one is filtered by the server. */
  async function* readAll(after: Position): AsyncGenerator<RecordedEvent[]> {
    const end = await head()
    if (after >= end) return
    // A read includes its start position, which was already returned.
    const options = { fromPosition: at(after), maxCount: readBatch + 1 }
    const read = await withRetries(all, (timeout) =>
      collect(timeout, client, (current) => current.readAll(options)),
    )
    const first = ours(read, after, end)
    if (first.length > 0) yield first
    const newest = read.at(-1)
    if (read.length <= readBatch || !newest) return
    let last = positionOf(newest)
    if (last >= end) return
    for await (const { events } of arriving(readable, withRetries, last)) {
      const more = ours(events, last, end)
      if (more.length > 0) yield more
      const latest = events.at(-1)
      if (latest) last = Math.max(last, positionOf(latest))
      if (last >= end) return
    }
  }

  return { head, readStream, readAll, ...readPlaces(readable, withRetries) }
}
