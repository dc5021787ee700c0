import { callbacks } from '../domain/aggregates.ts'
import type { Attempt } from '../domain/callback.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { Recorded } from '../domain/events.ts'
import { streamOf } from '../domain/stream.ts'
import type { EventStore } from './event-store.ts'
import { historyOf } from './history.ts'

/** The recorded attempts to deliver a message, oldest first. */
export const attemptsOf =
  (store: Pick<EventStore, 'readStream'>) =>
  async (id: string): Promise<readonly Attempt[]> => {
    const attempts: Attempt[] = []
    for await (const events of historyOf(store, streamOf(callbacks, id), 0))
      for (const { type, data } of events) if (type === 'CallbackAttempted') attempts.push(data)
    return attempts
  }

/** The events of a stream that tell a message, oldest first. */
export const tellingEventsOf =
  (store: Pick<EventStore, 'readStream'>) =>
  async (stream: string): Promise<readonly Recorded[]> => {
    const telling: Recorded[] = []
    for await (const events of historyOf(store, stream))
      for (const event of events)
        if (callbackNameOf(event.type, event.metadata.schema) !== undefined) telling.push(event)
    return telling
  }
