import type { Recorded } from '../domain/events.ts'
import { stateSizeAfter } from '../domain/memory-size.ts'
import {
  noStream,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from './event-store.ts'
import { generationalCache, sizedCache, type CacheLimits } from './generational-cache.ts'

/** The state of an aggregate as of a revision of its stream. */
export type Known = {
  readonly revision: Revision
  readonly state: unknown
  /** Roughly, in bytes. */
  readonly size: number
}

/** What is known of a stream before anything of it was read. */
export const unreadState = ({ initial }: { readonly initial: unknown }): Known => ({
  revision: noStream,
  state: initial,
  size: 0,
})

/** What is known after more has happened. */
export const knownStateAfter = (
  before: Known,
  sizeOfMore: number,
  { revision, state }: Omit<Known, 'size'>,
): Known => ({ revision, state, size: stateSizeAfter(before.size, sizeOfMore, state) })

/** A state, and the newest revision of its stream that was observed. */
type Remembered = Known & { observed: Revision }

/** Whether its stream is known to have gone on. */
export const isStale = ({ revision, observed }: Readonly<Remembered>): boolean =>
  revision < observed

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

type Needs = {
  readonly store: Pick<EventStore, 'head' | 'readAll'>
  readonly cacheLimits: CacheLimits
  /** Everything after this position is observed. */
  readonly from: Position
}

/** Remembers the states of the aggregates used last, and which of them the log has gone beyond. */
export const makeStateCache = ({ store, cacheLimits, from }: Needs) => {
  const memory = sizedCache<string, Remembered>(cacheLimits)
  /** The newest revision observed of each stream that has changed lately, remembered or not. */
  const observedOf = generationalCache<string, Revision>(cacheLimits.streams)
  let observed = from

  const find = (stream: string): Readonly<Remembered> | undefined => memory.get(stream)

  /** What is remembered of a stream, unless it is known to be old. */
  const findCurrent = (stream: string): Known | undefined => {
    const known = find(stream)
    return known && !isStale(known) ? known : undefined
  }

  /** Marks what other processes have changed as old. Call it with all events, in order. */
  const observe = (events: readonly (RecordedEvent | Recorded)[]): void => {
    for (const { stream, revision, position } of events) {
      if (position > observed) observed = position
      const known = memory.get(stream)
      if (known && known.revision >= revision) continue
      if (known) known.observed = revision
      observedOf.set(stream, revision)
    }
  }

  const readOn = async (): Promise<void> => {
    for await (const events of store.readAll(observed)) {
      observe(events)
      // One batch only: further behind, single streams are read until the rest was observed.
      break
    }
  }
  let readingOn: Promise<void> | undefined
  const catchUp = (): Promise<void> =>
    (readingOn ??= readOn().finally(() => {
      readingOn = undefined
    }))

  return {
    find,
    findCurrent,
    observe,
    /** What is remembered of a stream if that is its state at the log's end; reading the stream tells otherwise. */
    findAtHead: async (stream: string): Promise<Known | undefined> => {
      if (!findCurrent(stream)) return undefined
      const head = await store.head()
      // The answers to this process's own appends often arrive in the next turn of the event loop.
      if (observed < head && findCurrent(stream)) await nextTurn()
      if (observed < head && findCurrent(stream)) await catchUp()
      return observed < head ? undefined : findCurrent(stream)
    },
    remember: (stream: string, { revision, state, size }: Known): void => {
      const before = memory.get(stream)
      if (before && before.revision > revision) return
      // A read may end after a newer event was observed.
      const newest = before?.observed ?? observedOf.get(stream) ?? noStream
      memory.set(stream, { revision, state, size, observed: newest })
    },
    /** Called when this process has appended events that end at a position. */
    appended: (position: Position, count: number): void => {
      // They follow what was observed, so nothing of others stands before them.
      if (position === observed + count) observed = position
    },
  }
}
