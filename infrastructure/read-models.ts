import { StoreUnavailable, type EventStore, type Position } from '../application/event-store.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import type { Projection } from '../projections/projection.ts'
import { makeProjector } from './projector.ts'
import type { ReadModelFile } from './read-model-file.ts'

const longestWaitMs = 5000
const retryAfterMs = 1000

type Needs = {
  readonly store: EventStore
  readonly file: ReadModelFile
  readonly projections: readonly Projection[]
  /** Called with everything that happened, after it was folded. */
  readonly onEvents: (events: readonly Recorded[]) => void
  readonly onFailure: (error: unknown) => void
}

type Waiter = { readonly target: Position; readonly resolve: () => void }

/** Keeps the read models at the head of the log, and lets readers wait until they are there. */
export const runReadModels = ({ store, file, projections, onEvents, onFailure }: Needs) => {
  const projector = makeProjector(file, projections)
  const stopped = new AbortController()
  let position = projector.position()
  let waiters: Waiter[] = []

  const wakeWaiters = (): void => {
    const ready = waiters.filter(({ target }) => target <= position)
    if (ready.length === 0) return
    waiters = waiters.filter(({ target }) => target > position)
    for (const { resolve } of ready) resolve()
  }

  const follow = async (): Promise<void> => {
    while (!stopped.signal.aborted)
      try {
        for await (const batch of store.follow(position, stopped.signal)) {
          const events = batch.map(parseEvent)
          projector.apply(events)
          position = events.at(-1)?.position ?? position
          wakeWaiters()
          onEvents(events)
        }
        // A log that ends by itself would otherwise be followed again at once, for ever.
        if (!stopped.signal.aborted) throw new StoreUnavailable('the log has ended')
      } catch (error) {
        onFailure(error)
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, retryAfterMs)
          stopped.signal.addEventListener('abort', () => resolve(clearTimeout(timer)), {
            once: true,
          })
        })
      }
  }
  const following = follow()

  const reached = (target: Position): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter = {
        target,
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiters = waiters.filter((other) => other !== waiter)
        reject(new StoreUnavailable('the read models are still catching up with the log'))
      }, longestWaitMs)
      waiters.push(waiter)
    })

  return {
    /**
     * Waits until everything acknowledged before this call can be read.
     * @throws StoreUnavailable when the read models stay behind for five seconds.
     */
    caughtUp: async (): Promise<void> => {
      const head = await store.head()
      if (head > position) await reached(head)
    },
    /** Waits as long as it takes, for work that must not begin on outdated rows. */
    ready: async (): Promise<void> => {
      const head = await store.head()
      if (head > position)
        await new Promise<void>((resolve) => {
          waiters.push({ target: head, resolve })
        })
    },
    /** How far the read models are, and how far they have to go. */
    progress: async (): Promise<{ position: Position; head: Position }> => ({
      head: await store.head(),
      position,
    }),
    stop: async (): Promise<void> => {
      stopped.abort()
      await following
    },
  }
}

export type ReadModels = ReturnType<typeof runReadModels>
