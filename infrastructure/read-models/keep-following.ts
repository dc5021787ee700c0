import {
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { pause as delay } from '../../application/machine.ts'

const retryAfterMs = 1000

type Needs = {
  readonly store: Pick<EventStore, 'follow'>
  readonly signal: AbortSignal
  /** Read again after each failure. */
  readonly position: () => Position
  readonly onBatch: (events: readonly RecordedEvent[]) => Promise<void> | void
  readonly onFailure: (error: unknown) => void
}

/** Follows the log until the signal aborts; retries a second after a failure. */
export const keepFollowing = async (needs: Needs): Promise<void> => {
  const { store, signal, position, onBatch, onFailure } = needs
  while (!signal.aborted)
    try {
      for await (const events of store.follow(position(), signal)) await onBatch(events)
      // An end without an error counts as a failure, or the log would be followed again without a
      // pause.
      if (!signal.aborted) throw new StoreUnavailable('the log has ended')
    } catch (error) {
      onFailure(error)
      await delay(retryAfterMs, { signal }).catch(() => {})
    }
}
