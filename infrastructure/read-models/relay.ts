import {
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Outage,
} from '../../application/event-store.ts'
import { autoResetEvent } from '../auto-reset-event.ts'

/** Maximum number of events waiting for the reader; then receiving pauses. */
const mostWaiting = 5_000

type Listener = Pick<Outage, 'failed'> & {
  /** The log is followed, and everything up to here has been received. */
  readonly worked: (place: Position) => void
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

/** Messages from the thread that receives the log to the main thread. */
export type Relayed =
  /** The log is being received; everything after this position follows. */
  | { readonly live: Position }
  /** Events as JSON: one string is copied faster than many objects. */
  | { readonly received: string }
  /** The log was read up to here, and our last event is there. */
  | { readonly looked: Position; readonly head: Position }
  /** The log is no longer received. */
  | { readonly lost: true }

/** Relays what is received from a position on; the receiver already has the backlog before it. */
export const relayTo = (send: (relayed: Relayed) => void, from: Position) => {
  let isConfirmed = false
  let isLive = false

  const begin = (place: Position): void => {
    if (isLive || !isConfirmed || place < from) return
    isLive = true
    send({ live: place })
  }

  return {
    worked: (place: Position): void => {
      isConfirmed = true
      begin(place)
    },
    received: (events: readonly RecordedEvent[]): void => {
      if (isLive) send({ received: JSON.stringify(events) })
      else begin(events.at(-1)?.position ?? from)
    },
    failed: (): void => {
      if (isLive) send({ lost: true })
      isLive = false
      isConfirmed = false
    },
    isLive: (): boolean => isLive,
  }
}

/** Maximum number of relayed events kept for a reader. */
const mostKept = 10_000

export type NoteEnd = (upTo: Position, own: Position) => void

/** Relayed events, until they are taken. */
const relayedEvents = (noteEnd: NoteEnd) => {
  /** Everything after this position is kept; undefined while nothing is relayed. */
  let from: Position | undefined
  let kept: RecordedEvent[] = []

  const reset = (place: Position | undefined): void => {
    from = place
    kept = []
  }

  const keep = (events: readonly RecordedEvent[]): void => {
    if (from === undefined) return
    const last = events.at(-1)?.position ?? from
    if (kept.length + events.length > mostKept) reset(last)
    else kept.push(...events)
    noteEnd(last, last)
  }

  return {
    covers: (place: Position): boolean => from !== undefined && from <= place,
    take: (after: Position): RecordedEvent[] => {
      const events = kept.filter(({ position }) => position > after)
      reset(kept.at(-1)?.position ?? from)
      return events
    },
    note: (relayed: Relayed): void => {
      if ('received' in relayed) keep(JSON.parse(relayed.received) as RecordedEvent[])
      else if ('live' in relayed) reset(relayed.live)
      else if ('looked' in relayed) noteEnd(relayed.looked, relayed.head)
      else reset(undefined)
    },
  }
}

type Followed = Pick<EventStore, 'follow'>

/**
 * Follows the log through the relay, or through an own subscription while the relay lags behind or
 * has lost the log.
 */
export const makeRelay = (noteEnd: NoteEnd = () => {}) => {
  const { covers, take, note } = relayedEvents(noteEnd)
  const changed = autoResetEvent()
  let onChange = (): void => {}

  /** Through an own subscription, until the relay has what comes next. */
  async function* followAlone(store: Followed, after: Position, signal: AbortSignal) {
    const joined = new AbortController()
    let place = after
    onChange = () => {
      if (covers(place)) joined.abort()
    }
    try {
      for await (const events of store.follow(after, AbortSignal.any([signal, joined.signal]))) {
        yield events
        place = events.at(-1)?.position ?? place
        if (covers(place)) return
      }
      // Otherwise an ended log would be followed again without a pause.
      if (!signal.aborted && !joined.signal.aborted) throw new StoreUnavailable('the log has ended')
    } finally {
      onChange = () => {}
    }
  }

  async function* followBoth(store: Followed, after: Position, signal: AbortSignal) {
    let place = after
    while (!signal.aborted) {
      const isRelayed = covers(place)
      let count = 0
      for await (const events of isRelayed ? [take(place)] : followAlone(store, place, signal)) {
        count += events.length
        if (events.length > 0) yield events
        place = events.at(-1)?.position ?? place
      }
      if (isRelayed && count === 0 && !signal.aborted) await changed.wait()
    }
  }

  const hear = (relayed: Relayed): void => {
    note(relayed)
    changed.set()
    onChange()
  }

  return {
    note: hear,
    lost: (): void => hear({ lost: true }),
    over: (store: Followed): Followed => ({
      follow: async function* (after, signal) {
        signal.addEventListener('abort', changed.set)
        try {
          yield* followBoth(store, after, signal)
        } finally {
          signal.removeEventListener('abort', changed.set)
        }
      },
    }),
  }
}

export type Relay = ReturnType<typeof makeRelay>
