import {
  DamagedEvent,
  start,
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import type { StartFolding } from './folding.ts'
import { keepFollowing } from './following.ts'
import { countLag } from './lag.ts'

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
  /** How many events the read models hold. */
  readonly foldedEvents?: () => number
  readonly onEvents: OnEvents
  readonly onFolded: OnFolded
  readonly onFailure: (error: unknown) => void
  readonly waitMs?: number
  readonly lookMs?: number
}

/** `head` is the last known one while the store is down. */
export type Progress = {
  readonly position: Position
  readonly head: Position
  readonly isStoreUp: boolean
  /** Events that the read models lack; estimated while a start folds what it finds. */
  readonly behind: number
  /** The event at which folding has stopped, because it is damaged. */
  readonly damagedAt: Position | undefined
}

type Waiter = {
  readonly target: Position
  readonly resolve: () => void
  readonly reject?: (error: Error) => void
}

/** Lets readers wait until the read models have caught up, and publishes changes. */
export const runReadModels = (needs: Needs) => {
  const { store, onEvents, onFolded, onFailure } = needs
  const { waitMs = usualWaitMs, lookMs = usualLookMs } = needs
  const stopped = new AbortController()
  /** Readers that wait now: worth a transaction at once. */
  let urgent: Waiter[] = []
  let patient: Waiter[] = []
  let position = start
  const lag = countLag(needs.from, needs.foldedEvents ?? (() => position))
  /** Nothing behind a damaged event can be folded: to skip it would make every sum wrong. */
  let damage: DamagedEvent | undefined

  const wake = (waiters: readonly Waiter[]): Waiter[] => {
    const isReady = ({ target }: Waiter): boolean => target <= position
    for (const waiter of waiters) if (isReady(waiter)) waiter.resolve()
    return waiters.filter((waiter) => !isReady(waiter))
  }

  const folding = needs.startFolding({
    onMoved: (moved) => {
      position = moved
      lag.moved(moved)
      damage = undefined
      urgent = wake(urgent)
      patient = wake(patient)
      if (urgent.length > 0) folding.hurry()
    },
    onFailure: (error) => {
      if (error instanceof DamagedEvent) stopAt(error)
      onFailure(error)
    },
  })

  const stopAt = (error: DamagedEvent): void => {
    damage = error
    const waiting = urgent
    urgent = []
    for (const { reject } of waiting) reject?.(error)
  }

  const reached = (target: Position): Promise<void> =>
    new Promise((resolve, reject) => {
      if (target <= position) return resolve()
      if (damage) return reject(damage)
      const waiter = {
        target,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
        reject: (error: Error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        urgent = urgent.filter((other) => other !== waiter)
        reject(new StoreUnavailable('the read models are still catching up with the log'))
      }, waitMs)
      urgent.push(waiter)
      folding.hurry()
    })

  const reachedSometime = (target: Position): Promise<void> =>
    new Promise((resolve) => {
      if (target <= position) resolve()
      else patient.push({ target, resolve })
    })

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
    store,
    signal: stopped.signal,
    position: () => observed,
    onBatch: (events) => {
      observed = events.at(-1)?.position ?? observed
      onEvents(events)
      if (observed > position) lag.observe(events)
      for (const { stream } of events) changed.add(stream)
      void publishFolded()
    },
    onFailure,
  })

  /** Undefined when the store does not answer in time. */
  const headSoon = (): Promise<Position | undefined> =>
    new Promise((resolve) => {
      const giveUp = () => resolve(undefined)
      const timer = setTimeout(giveUp, lookMs)
      store
        .head()
        .then(resolve, giveUp)
        .finally(() => clearTimeout(timer))
    })

  return {
    /**
     * Waits until everything acknowledged so far can be read. @throws StoreUnavailable when the
     * read models stay behind for five seconds.
     */
    caughtUp: async (): Promise<void> => reached(await store.head()),
    /** The same, for a given position. */
    reached,
    position: (): Position => position,
    /** How many events they lack. */
    behind: (): number => lag.behind(position),
    /** Waits without a limit, for work that must not start on outdated rows. */
    ready: async (): Promise<void> => reachedSometime(await store.head()),
    /** Never waits long for the store. */
    progress: async (): Promise<Progress> => {
      const head = await headSoon()
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
