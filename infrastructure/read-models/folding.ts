import {
  start,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { areSpansRecorded, startSpanWithin } from '../../application/tracing.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../event-store/event-entry.ts'
import { paceFrom, type Pace } from '../event-store/sqlite-event-file.ts'
import { keepFollowing } from './keep-following.ts'
import { makeProjector } from './projector.ts'
import { noteDamage, type ReadModelFile } from './read-model-file.ts'
import type { Relay } from './relay.ts'
import { clearTimeout, setTimeout, steadyTime } from '../../application/machine.ts'

/** How long events that no reader waits for are collected into one transaction. */
const gatherMs = 50

/** A batch this large comes from a backlog: do not wait for more events. */
const backlog = 500

type Needs = {
  readonly store: Pick<EventStore, 'follow'>
  readonly file: ReadModelFile
}

type Listeners = {
  readonly onMoved: (position: Position) => void
  readonly onFailure: (error: unknown) => void
  /** Receives what a worker thread reads from the log. */
  readonly relay?: Pick<Relay, 'note' | 'lost'>
  /** Observers follow the log from here on. */
  readonly from?: Position
}

type Folding = {
  /** A reader waits: fold events at once, until the read models have moved. */
  hurry(): void
  stop(): Promise<void>
}

export type StartFolding = (listeners: Listeners) => Folding

const pause = () => {
  let end = (): void => {}
  return {
    end: (): void => end(),
    wait: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

/** A span for each event that belongs to a trace; earlier events were folded before. */
const traceFold = (events: readonly Recorded[], from: Position, since: number): void => {
  for (const { position, type, stream, metadata } of events) {
    if (position <= from) continue
    startSpanWithin(metadata.traceparent, () => ({
      name: `fold ${type}`,
      kind: 'consumer',
      since,
      attributes: {
        'messaging.system': 'daybook',
        'messaging.operation.name': 'fold',
        'messaging.operation.type': 'process',
        'messaging.destination.name': stream,
        'messaging.batch.message_count': events.length,
      },
    }))?.end()
  }
}

const foldTraced = (
  { apply }: Pick<ReturnType<typeof makeProjector>, 'apply'>,
  batch: readonly RecordedEvent[],
  from: Position,
): void => {
  const since = steadyTime()
  const events = batch.map(parseEvent)
  apply(events, batch.map(leafOf))
  if (areSpansRecorded()) traceFold(events, from, since)
}

export const foldInline =
  ({ store, file }: Needs): StartFolding =>
  ({ onMoved, onFailure, from = start }) => {
    const projector = makeProjector(file, projections)
    const stopped = new AbortController()
    const gathering = pause()
    let position = projector.position()
    let isHurried = false

    const fold = async (batch: readonly RecordedEvent[]): Promise<void> => {
      isHurried = false
      foldTraced(projector, batch, from)
      position = batch.at(-1)?.position ?? position
      onMoved(position)
      if (!isHurried && batch.length < backlog) await gathering.wait(gatherMs)
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

/** How another thread folds the read models, and how far the log is followed in this one. */
export type Folded = { readonly folding: StartFolding; readonly pace: Pace }

/**
 * The read models in a thread that does not fold. The thread that started it folds, and reports
 * each move. `hurry` requests the next one.
 */
export const foldedElsewhere = (hurry: () => void, from: Position) => {
  let onMoved = (_: Position): void => {}
  let position = from
  const pace = paceFrom(from)
  const folding: StartFolding = (listeners) => {
    onMoved = listeners.onMoved
    onMoved(position)
    return { hurry, stop: async () => {} }
  }
  const moved = (to: Position): void => {
    position = to
    pace.to(to)
    onMoved(to)
  }
  return { folded: { folding, pace }, moved }
}
