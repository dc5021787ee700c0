import type { EventStore, Outage, Position, RecordedEvent } from '../../application/event-store.ts'
import { autoResetEvent } from '../auto-reset-event.ts'

/** Maximum number of events waiting for the reader; then receiving pauses. */
const mostWaiting = 5_000

type Listener = Pick<Outage, 'failed'> & {
  /** The log is followed, and everything up to here has been received. */
  readonly worked: (place: Position) => void
  /** Called with all events as they arrive. */
  readonly received: (events: readonly RecordedEvent[]) => void
}

/**
 * Receives events while their reader is busy with earlier ones, and notifies a listener at once.
 */
export const receiveAhead = (
  store: Pick<EventStore, 'follow'>,
  listener: Listener,
): Pick<EventStore, 'follow'> => ({
  follow: async function* (after, signal) {
    const [came, taken] = [autoResetEvent(), autoResetEvent()]
    const left = new AbortController()
    const either = AbortSignal.any([signal, left.signal])
    let waiting: RecordedEvent[] = []
    let end: { readonly error?: unknown } | undefined

    const receive = async (): Promise<void> => {
      let place = after
      const outage = { failed: listener.failed, worked: () => listener.worked(place) }
      for await (const events of store.follow(after, either, outage)) {
        place = events.at(-1)?.position ?? place
        listener.received(events)
        waiting.push(...events)
        came.set()
        while (waiting.length >= mostWaiting && !either.aborted) await taken.wait()
      }
    }
    const ended = (how: typeof end): void => {
      end = how
      came.set()
    }
    receive().then(
      () => ended({}),
      (error: unknown) => ended({ error }),
    )

    try {
      for (;;) {
        if (waiting.length > 0) {
          const events = waiting
          waiting = []
          taken.set()
          yield events
        } else if (end === undefined) await came.wait()
        else if (end.error === undefined) return
        else throw end.error
      }
    } finally {
      left.abort()
      taken.set()
      listener.failed(end?.error)
    }
  },
})
