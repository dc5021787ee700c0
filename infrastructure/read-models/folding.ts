import type { EventStore, Position, RecordedEvent } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { keepFollowing } from './following.ts'
import { makeProjector } from './projector.ts'
import { noteDamage, type ReadModelFile } from './read-model-file.ts'

/** How long events that nobody waits for may gather, to be folded in one transaction. */
const gatherMs = 50
/** So large a batch comes from a backlog: nothing is gained by waiting for more events. */
const backlog = 500

type Needs = {
  readonly store: EventStore
  readonly file: ReadModelFile
}

type Listeners = {
  /** The read models hold everything up to this position. */
  readonly onMoved: (position: Position) => void
  readonly onFailure: (error: unknown) => void
}

/** Folds the log into the read models, for ever, in this thread or in another. */
type Folding = {
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
export const foldInline =
  ({ store, file }: Needs): StartFolding =>
  ({ onMoved, onFailure }) => {
    const projector = makeProjector(file, projections)
    const stopped = new AbortController()
    const gathering = pause()
    let position = projector.position()
    let isHurried = false

    const fold = async (batch: readonly RecordedEvent[]): Promise<void> => {
      isHurried = false
      projector.apply(batch.map(parseEvent))
      position = batch.at(-1)?.position ?? position
      onMoved(position)
      if (!isHurried && batch.length < backlog) await gathering.last(gatherMs)
    }

    onMoved(position)
    const folding = keepFollowing({
      store,
      signal: stopped.signal,
      position: () => position,
      onBatch: fold,
      onFailure: (error) => {
        noteDamage(file.sqlite.name, error)
        onFailure(error)
      },
    })

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
