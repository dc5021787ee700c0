import {
  start,
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import type { StartFolding } from './folding.ts'
import { keepFollowing } from './following.ts'

/** How long a reader waits for what has happened. */
const usualWaitMs = 5000
/** How long a look at how things are waits for the store. */
const usualLookMs = 1000

/** Called with the streams in which something has happened, once it can be read. */
export type OnFolded = (streams: ReadonlySet<string>) => void

type Needs = {
  readonly store: EventStore
  readonly startFolding: StartFolding
  /** The end of the log when nothing of it had been read yet. */
  readonly from: Position
  /** Called with everything that happens, as soon as it is heard of. */
  readonly onEvents: (events: readonly RecordedEvent[]) => void
  readonly onFolded: OnFolded
  readonly onFailure: (error: unknown) => void
  readonly waitMs?: number
  readonly lookMs?: number
}

/** How far the read models are and how far they have to go, as last known when the store does not answer. */
export type Progress = {
  readonly position: Position
  readonly head: Position
  readonly isStoreUp: boolean
}

type Waiter = { readonly target: Position; readonly resolve: () => void }

/** Lets readers wait until the read models are at the head of the log, and tells what happens. */
export const runReadModels = (needs: Needs) => {
  const { store, onEvents, onFolded, onFailure } = needs
  const { waitMs = usualWaitMs, lookMs = usualLookMs } = needs
  const stopped = new AbortController()
  /** Whose caller waits, so that it is worth a transaction of its own. */
  let urgent: Waiter[] = []
  let patient: Waiter[] = []
  let position = start

  const wake = (waiters: readonly Waiter[]): Waiter[] => {
    const isReady = ({ target }: Waiter): boolean => target <= position
    for (const waiter of waiters) if (isReady(waiter)) waiter.resolve()
    return waiters.filter((waiter) => !isReady(waiter))
  }

  const folding = needs.startFolding({
    onMoved: (moved) => {
      position = moved
      urgent = wake(urgent)
      patient = wake(patient)
      if (urgent.length > 0) folding.hurry()
    },
    onFailure,
  })

  const reached = (target: Position): Promise<void> =>
    new Promise((resolve, reject) => {
      if (target <= position) return resolve()
      const waiter = {
        target,
        resolve: () => {
          clearTimeout(timer)
          resolve()
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

  let told = needs.from
  /** Where something has happened: names alone, for it may take long until that can be read. */
  let untold = new Set<string>()
  let isTelling = false

  const tellWhatIsFolded = async (): Promise<void> => {
    if (isTelling) return
    isTelling = true
    while (untold.size > 0) {
      const streams = untold
      untold = new Set()
      await reachedSometime(told)
      onFolded(streams)
    }
    isTelling = false
  }

  const following = keepFollowing({
    store,
    signal: stopped.signal,
    position: () => told,
    onBatch: (events) => {
      told = events.at(-1)?.position ?? told
      onEvents(events)
      for (const { stream } of events) untold.add(stream)
      void tellWhatIsFolded()
    },
    onFailure,
  })

  /** Undefined when the store does not say soon. */
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
     * Waits until everything acknowledged before this call can be read.
     * @throws StoreUnavailable when the read models stay behind for five seconds.
     */
    caughtUp: async (): Promise<void> => reached(await store.head()),
    /** The same for a position that is known. */
    reached,
    position: (): Position => position,
    /** Waits as long as it takes, for work that must not begin on outdated rows. */
    ready: async (): Promise<void> => reachedSometime(await store.head()),
    /** Answers soon, whatever the store does. */
    progress: async (): Promise<Progress> => {
      const head = await headSoon()
      const isStoreUp = head !== undefined
      return { position, head: head ?? Math.max(told, position), isStoreUp }
    },
    stop: async (): Promise<void> => {
      stopped.abort()
      await folding.stop()
      await following
    },
  }
}

export type ReadModels = ReturnType<typeof runReadModels>
