import { callbacks } from '../domain/aggregates.ts'
import type { Attempt } from '../domain/callback.ts'
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
