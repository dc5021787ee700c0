import type { Recorded } from '../domain/events.ts'
import type { Fence } from '../domain/leases.ts'
import { stateSizeAfter } from '../domain/memory-size.ts'
import {
  DamagedEvent,
  noStream,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from './event-store.ts'
import { nextTurn } from './time-budget.ts'
import { counted, generationalCache, sizedCache, type CacheLimits } from './generational-cache.ts'

/** A state at a revision of its stream. */
export type Known = {
  readonly revision: Revision
  readonly state: unknown
  /** Estimated bytes. */
  readonly size: number
  /** The newest lease of its events. */
  readonly fence?: Fence | undefined
}

export const unreadState = ({ initial }: { readonly initial: unknown }): Known => ({
  revision: noStream,
  state: initial,
  size: 0,
})

export const knownStateAfter = (
  before: Known,
  sizeOfMore: number,
  { revision, state, fence }: Omit<Known, 'size'>,
): Known => ({
  revision,
  state,
  size: stateSizeAfter(before.size, sizeOfMore, state),
  ...(fence && { fence: { work: fence.work, revision: fence.revision } }),
})

/** `observed` is the newest revision seen of the stream. */
type Remembered = Known & { observed: Revision }

export const isStale = ({ revision, observed }: Readonly<Remembered>): boolean =>
  revision < observed

type Needs = {
  readonly store: Pick<EventStore, 'head' | 'readAll'>
  readonly cacheLimits: CacheLimits
  /** Events after this position are observed. */
  readonly from: Position
}

/**
 * Caches the most recently used states, and knows which of them are stale.
 * Long because all of it shares what was observed.
 */
export const makeStateCache = ({ store, cacheLimits, from }: Needs) => {
  const cache = sizedCache<string, Remembered>(cacheLimits)
  /** Newest revision of recently changed streams, cached or not. */
  const observedOf = generationalCache<string, Revision>(cacheLimits.streams)
  const lookedUp = counted('states', cache)
  let observed = from

  const find = (stream: string): Readonly<Remembered> | undefined => lookedUp.get(stream)

  /** The cached state, unless stale. */
  const findCurrent = (stream: string): Known | undefined => {
    const known = find(stream)
    return known && !isStale(known) ? known : undefined
  }

  /** Marks states that other processes changed. Call it with all events, in order. */
  const observe = (events: readonly (RecordedEvent | Recorded)[]): void => {
    for (const { stream, revision, position } of events) {
      if (position > observed) observed = position
      const known = cache.get(stream)
      if (known && known.revision >= revision) continue
      if (known) known.observed = revision
      observedOf.set(stream, revision)
    }
  }

  const readOn = async (): Promise<void> => {
    try {
      for await (const events of store.readAll(observed)) {
        observe(events)
        // Only one batch; if further behind, individual streams are read instead.
        break
      }
    } catch (error) {
      // Damage elsewhere in the log: individual streams are read instead.
      if (!(error instanceof DamagedEvent)) throw error
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
    /** The cached state if it is current at the log's end; else read the stream. */
    findAtHead: async (stream: string): Promise<Known | undefined> => {
      if (!findCurrent(stream)) return undefined
      const head = await store.head()
      // This process's own appends are often observed in the next turn.
      if (observed < head && findCurrent(stream)) await nextTurn()
      if (observed < head && findCurrent(stream)) await catchUp()
      return observed < head ? undefined : findCurrent(stream)
    },
    remember: (stream: string, { revision, state, size, fence }: Known): void => {
      const before = cache.get(stream)
      if (before && before.revision > revision) return
      // A newer event may have been observed during the read.
      const newest = before?.observed ?? observedOf.get(stream) ?? noStream
      cache.set(stream, { revision, state, size, observed: newest, ...(fence && { fence }) })
    },
    /** Records that this process appended events up to a position. */
    appended: (position: Position, count: number): void => {
      // No other process appended in between.
      if (position === observed + count) observed = position
    },
  }
}

export type StateCache = ReturnType<typeof makeStateCache>
