import {
  DamagedEvent,
  type EventStore,
  type Position,
  type RecordedEvent,
  start,
} from '../../application/event-store.ts'
import { UnreadableEvent } from '../../domain/events.ts'
import type { StartFolding } from './folding.ts'
import { keepFollowing } from './keep-following.ts'
import { makeRelay, type NoteEnd } from './relay.ts'
import { makeWaiters } from './waiters.ts'
import { clearTimeout, setTimeout, steadyTime } from '../../application/machine.ts'

type Batch = { readonly last: Position; readonly count: number; readonly since: number }

/**
 * Counts events that are not folded yet. Positions cannot be subtracted: in EventStoreDB they are
 * byte offsets. The backlog at startup, before `from`, is estimated from what is folded.
 */
export const countLag = (from: Position, foldedEvents: () => number) => {
  let waiting: Batch[] = []
  const begun = steadyTime()

  const backlog = (position: Position): number => {
    if (position >= from) return 0
    const eventsPerPosition = position === 0 ? 1 : foldedEvents() / position
    return Math.max(1, Math.round((from - position) * eventsPerPosition))
  }

  return {
    observe: (events: readonly RecordedEvent[]): void => {
      const last = events.at(-1)?.position
      if (last !== undefined) waiting.push({ last, count: events.length, since: steadyTime() })
    },
    moved: (position: Position): void => {
      if (waiting[0] && waiting[0].last <= position)
        waiting = waiting.filter(({ last }) => last > position)
    },
    behind: (position: Position): number =>
      waiting.reduce((sum, { count }) => sum + count, backlog(position)),
    /** How long the oldest of these has waited here, in ms; 0 if there is none. */
    behindMs: (position: Position): number => {
      const since = position < from ? begun : waiting[0]?.since
      return since === undefined ? 0 : steadyTime() - since
    },
  }
}

/** The end of the log; undefined if the store does not answer in time. */
const headInTime = (
  store: Pick<EventStore, 'head'>,
  milliseconds: number,
): Promise<Position | undefined> =>
  new Promise((resolve) => {
    const giveUp = () => resolve(undefined)
    const timer = setTimeout(giveUp, milliseconds)
    store
      .head()
      .then(resolve, giveUp)
      .finally(() => clearTimeout(timer))
  })

const usualWaitMs = 5000
/** How long a status query waits for the store. */
const usualLookMs = 800

/** Called with the changed streams, once the read models contain the changes. */
export type OnFolded = (streams: ReadonlySet<string>) => void

/** Called with all new events, before they are folded. */
export type OnEvents = (events: readonly RecordedEvent[]) => void

type Needs = {
  readonly store: EventStore
  readonly startFolding: StartFolding
  /** Where to start observing the log. */
  readonly from: Position
  /** Called with how far the log was read. */
  readonly noteEnd?: NoteEnd | undefined
  readonly foldedEvents?: () => number
  /** Awaited before events are passed on. */
  readonly besideCaughtUp?: () => Promise<void>
  readonly onEvents: OnEvents
  readonly onFolded: OnFolded
  readonly onFailure: (error: unknown) => void
  readonly waitMs?: number
  readonly lookMs?: number
}

/** `head` is the last known one while the store is unavailable. */
type Progress = {
  readonly position: Position
  readonly head: Position
  readonly isStoreUp: boolean
  /** Number of events that are not folded; estimated during the backlog at startup. */
  readonly behind: number
  /** The damaged event at which folding has stopped. */
  readonly damagedAt: Position | undefined
}

/** Lets readers wait until the read models have caught up, and publishes changes. */
export const runReadModels = (needs: Needs) => {
  const { store, onEvents, onFolded, onFailure } = needs
  const { waitMs = usualWaitMs, lookMs = usualLookMs } = needs
  const stopped = new AbortController()
  let position = start
  const lag = countLag(needs.from, needs.foldedEvents ?? (() => position))
  /** Nothing after a damaged event can be folded: skipping it would make every sum wrong. */
  let damage: DamagedEvent | undefined
  /** An event of a newer version. Nothing behind it is folded either. */
  let unreadable: UnreadableEvent | undefined

  const waiters = makeWaiters({ position: () => position, waitMs, hurry: () => folding.hurry() })
  const { reachedSometime } = waiters
  const moveListeners = new Set<(position: Position) => void>()

  const relay = makeRelay(needs.noteEnd)
  const folding = needs.startFolding({
    relay,
    from: needs.from,
    onMoved: (moved) => {
      position = moved
      lag.moved(moved)
      damage = unreadable = undefined
      waiters.moved()
      for (const listener of moveListeners) listener(moved)
    },
    onFailure: (error) => {
      if (error instanceof DamagedEvent) stopAt(error)
      if (error instanceof UnreadableEvent) {
        unreadable = error
        waiters.stopAt(error)
      }
      onFailure(error)
    },
  })

  const stopAt = (error: DamagedEvent): void => {
    damage = error
    waiters.stopAt(error)
  }

  const reached = async (target: Position, isUrgent = true): Promise<void> => {
    if (target <= position) return
    if (damage ?? unreadable) throw damage ?? unreadable
    await waiters.reached(target, isUrgent)
  }

  let observed = needs.from
  /** Changed streams. Only names, because folding may take long. */
  let changed = new Set<string>()
  let isPublishing = false

  const publishFolded = async (): Promise<void> => {
    if (isPublishing) return
    isPublishing = true
    try {
      while (changed.size > 0) {
        const streams = changed
        changed = new Set()
        await reachedSometime(observed)
        onFolded(streams)
      }
    } finally {
      isPublishing = false
    }
  }

  const following = keepFollowing({
    store: relay.over(store),
    signal: stopped.signal,
    position: () => observed,
    onBatch: async (events) => {
      await needs.besideCaughtUp?.()
      observed = events.at(-1)?.position ?? observed
      onEvents(events)
      if (observed > position) lag.observe(events)
      for (const { stream } of events) changed.add(stream)
      publishFolded().catch(onFailure)
    },
    onFailure,
  })

  return {
    /**
     * Waits until everything acknowledged so far can be read. @throws StoreUnavailable if the read
     * models lag behind for five seconds
     */
    caughtUp: async (): Promise<void> => reached(await store.head()),
    /** The same at low priority: folding is not hurried. */
    caughtUpInBackground: async (): Promise<void> => reached(await store.head(), false),
    /** Like `caughtUp`, for a given position. */
    reached,
    position: (): Position => position,
    unreadable: (): UnreadableEvent | undefined => unreadable,
    /** Whether all that was there at the start is folded. */
    hasCaughtUp: (): boolean => position >= needs.from,
    /** Notifies of each move; returns a function that stops it. */
    onMoved: (listener: (position: Position) => void): (() => void) => {
      moveListeners.add(listener)
      return () => void moveListeners.delete(listener)
    },
    hurry: (): void => folding.hurry(),
    behind: (): number => lag.behind(position),
    behindMs: (): number => lag.behindMs(position),
    /** Waits without a limit, for work that must not start on outdated rows. */
    ready: async (): Promise<void> => reachedSometime(await store.head()),
    /** Never waits long for the store. */
    progress: async (): Promise<Progress> => {
      const head = await headInTime(store, lookMs)
      const isStoreUp = head !== undefined
      const damagedAt = damage?.event.position
      const behind = lag.behind(position)
      return { position, head: head ?? Math.max(observed, position), isStoreUp, behind, damagedAt }
    },
    stop: async (): Promise<void> => {
      stopped.abort()
      await folding.stop()
      await following
    },
  }
}

export type ReadModels = ReturnType<typeof runReadModels>
