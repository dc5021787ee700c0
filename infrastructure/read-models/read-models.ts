import {
  DamagedEvent,
  type EventStore,
  type Position,
  type RecordedEvent,
  start,
} from '../../application/event-store.ts'
import type { StartFolding } from './folding.ts'
import { keepFollowing } from './following.ts'
import { countLag } from './lag.ts'
import { makeRelay, type NoteEnd } from './relay.ts'
import { makeWaiters } from './waiters.ts'

/** The end of the log; undefined when the store does not tell it in time. */
const headSoon = (
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

/** How long a reader waits for the read models. */
const usualWaitMs = 5000
/** How long a status query waits for the store. */
const usualLookMs = 800

/** Called with the changed streams, once the read models hold the changes. */
export type OnFolded = (streams: ReadonlySet<string>) => void

/** Called with all new events, before they are folded. */
export type OnEvents = (events: readonly RecordedEvent[]) => void

type Needs = {
  readonly store: EventStore
  readonly startFolding: StartFolding
  /** Where to start observing the log. */
  readonly from: Position
  /** Told how far the log was looked at. */
  readonly noteEnd?: NoteEnd | undefined
  /** How many events the read models hold. */
  readonly foldedEvents?: () => number
  /** Waited for before events are handed out. */
  readonly besideCaughtUp?: () => Promise<void>
  readonly onEvents: OnEvents
  readonly onFolded: OnFolded
  readonly onFailure: (error: unknown) => void
  readonly waitMs?: number
  readonly lookMs?: number
}

/** `head` is the last known one while the store is down. */
type Progress = {
  readonly position: Position
  readonly head: Position
  readonly isStoreUp: boolean
  /** Events that the read models lack; estimated while a start folds what it finds. */
  readonly behind: number
  /** The event at which folding has stopped, because it is damaged. */
  readonly damagedAt: Position | undefined
}

/** Lets readers wait until the read models have caught up, and publishes changes. */
export const runReadModels = (needs: Needs) => {
  const { store, onEvents, onFolded, onFailure } = needs
  const { waitMs = usualWaitMs, lookMs = usualLookMs } = needs
  const stopped = new AbortController()
  let position = start
  const lag = countLag(needs.from, needs.foldedEvents ?? (() => position))
  /** Nothing behind a damaged event can be folded: to skip it would make every sum wrong. */
  let damage: DamagedEvent | undefined

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
      damage = undefined
      waiters.moved()
      for (const listener of moveListeners) listener(moved)
    },
    onFailure: (error) => {
      if (error instanceof DamagedEvent) stopAt(error)
      onFailure(error)
    },
  })

  const stopAt = (error: DamagedEvent): void => {
    damage = error
    waiters.stopAt(error)
  }

  const reached = async (target: Position, isUrgent = true): Promise<void> => {
    if (target <= position) return
    if (damage) throw damage
    await waiters.reached(target, isUrgent)
  }

  let observed = needs.from
  /** Changed streams. Only names, as folding them may take long. */
  let changed = new Set<string>()
  let isPublishing = false

  const publishFolded = async (): Promise<void> => {
    if (isPublishing) return
    isPublishing = true
    while (changed.size > 0) {
      const streams = changed
      changed = new Set()
      await reachedSometime(observed)
      onFolded(streams)
    }
    isPublishing = false
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
      void publishFolded()
    },
    onFailure,
  })

  return {
    /**
     * Waits until everything acknowledged so far can be read. @throws StoreUnavailable when the
     * read models stay behind for five seconds.
     */
    caughtUp: async (): Promise<void> => reached(await store.head()),
    /** The same in its own time: nothing is folded sooner for it. */
    caughtUpSoon: async (): Promise<void> => reached(await store.head(), false),
    /** As `caughtUp`, for a given position. */
    reached,
    position: (): Position => position,
    /** Tells of each move; returns how to stop it. */
    onMoved: (listener: (position: Position) => void): (() => void) => {
      moveListeners.add(listener)
      return () => void moveListeners.delete(listener)
    },
    /** Folds what there is at once. */
    hurry: (): void => folding.hurry(),
    /** How many events they lack. */
    behind: (): number => lag.behind(position),
    /** Waits without a limit, for work that must not start on outdated rows. */
    ready: async (): Promise<void> => reachedSometime(await store.head()),
    /** Never waits long for the store. */
    progress: async (): Promise<Progress> => {
      const head = await headSoon(store, lookMs)
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
