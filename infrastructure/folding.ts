import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailable, type EventStore, type Position } from '../application/event-store.ts'
import { parseEvent } from '../domain/events.ts'
import { projections } from '../projections/all.ts'
import { makeProjector } from './projector.ts'
import type { ReadModelFile } from './read-model-file.ts'

/** How long events that nobody waits for may gather, to be folded in one transaction. */
const gatherMs = 10
/** A batch of so many events was read from a backlog, which nothing is gained by gathering. */
const backlog = 200
const retryAfterMs = 1000

type Needs = {
  readonly store: EventStore
  readonly file: ReadModelFile
}

export type Listeners = {
  /** The read models hold everything up to this position. */
  readonly onMoved: (position: Position) => void
  readonly onFailure: (error: unknown) => void
}

/** Folds the log into the read models, for ever, in this thread or in another. */
export type Folding = {
  /** Somebody waits: events are folded as they come, until the read models have moved. */
  hurry(): void
  stop(): Promise<void>
}

export type StartFolding = (listeners: Listeners) => Folding

/** Resolves after a while, or as soon as it is ended. */
const pause = () => {
  let end = (): void => {}
  return {
    end: (): void => end(),
    last: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

/** Folds in this thread. */
export const foldHere =
  ({ store, file }: Needs): StartFolding =>
  ({ onMoved, onFailure }) => {
    const projector = makeProjector(file, projections)
    const stopped = new AbortController()
    const { signal } = stopped
    const gathering = pause()
    let position = projector.position()
    let isHurried = false

    const follow = async (): Promise<void> => {
      for await (const batch of store.follow(position, signal)) {
        isHurried = false
        projector.apply(batch.map(parseEvent))
        position = batch.at(-1)?.position ?? position
        onMoved(position)
        if (!isHurried && batch.length < backlog) await gathering.last(gatherMs)
      }
      // A log that ends by itself would otherwise be followed again at once, for ever.
      if (!signal.aborted) throw new StoreUnavailable('the log has ended')
    }

    const fold = async (): Promise<void> => {
      onMoved(position)
      while (!signal.aborted)
        try {
          await follow()
        } catch (error) {
          onFailure(error)
          await delay(retryAfterMs, undefined, { signal }).catch(() => {})
        }
    }
    const folding = fold()

    return {
      hurry: () => {
        isHurried = true
        gathering.end()
      },
      stop: async () => {
        stopped.abort()
        gathering.end()
        await folding
      },
    }
  }
