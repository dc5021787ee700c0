import { callbacks } from '../domain/aggregates.ts'
import type { Attempt } from '../domain/callback.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { Recorded } from '../domain/events.ts'
import { streamOf } from '../domain/stream.ts'
import { noStream, type EventStore, type Revision } from './event-store.ts'
import { sizedCache, type CacheLimits } from './generational-cache.ts'
import { historyOf } from './find-state.ts'

/** The recorded attempts to deliver a message, oldest first. */
export const attemptsOf =
  (store: Pick<EventStore, 'readStream'>) =>
  async (id: string): Promise<readonly Attempt[]> => {
    const attempts: Attempt[] = []
    for await (const events of historyOf(store, streamOf(callbacks, id), 0))
      for (const { type, data } of events) if (type === 'CallbackAttempted') attempts.push(data)
    return attempts
  }

type Telling = Pick<Recorded, 'id' | 'position' | 'metadata'>

type Known = {
  readonly revision: Revision
  readonly telling: readonly Telling[]
  /** Estimated bytes. */
  readonly size: number
}

/** Shorter streams are read again, which takes less than a millisecond. */
const rememberedFrom: Revision = 100

const bytesPerEvent = 500

const limits: CacheLimits = { streams: 1_000, bytes: 8_388_608 }

const tellingIn = (events: readonly Recorded[]): readonly Telling[] =>
  events
    .filter(({ type, metadata }) => callbackNameOf(type, metadata.schema) !== undefined)
    .map(({ id, position, metadata }) => ({ id, position, metadata }))

/**
 * The events of a stream that have callback messages, oldest first. Long streams are cached: only
 * new events are read.
 */
export const eventsWithCallbacks = (store: Pick<EventStore, 'readStream'>) => {
  const remembered = sizedCache<string, Known>(limits)
  return async (stream: string): Promise<readonly Telling[]> => {
    const known = remembered.get(stream)
    let { revision, telling } = known ?? { revision: noStream, telling: [] }
    for await (const events of historyOf(store, stream, revision + 1)) {
      telling = [...telling, ...tellingIn(events)]
      revision = events.at(-1)?.revision ?? revision
    }
    const size = bytesPerEvent * (1 + telling.length)
    if (revision >= rememberedFrom) remembered.set(stream, { revision, telling, size })
    return telling
  }
}
