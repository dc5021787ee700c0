import { SingleBar } from 'cli-progress'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../event-store/event-entry.ts'
import type { Settings } from '../settings.ts'
import { buildReadModels, openStore } from '../stores.ts'
import { makeFold } from './projector.ts'
import type { Draft } from './read-model-file.ts'
import Database from '../sqlite.ts'
import { jobThread } from '../threads/job-thread.ts'
import type { Write } from './rows.ts'
import type { begin } from './writing-job.ts'
import { steadyTime } from '../../application/machine.ts'

/** Writes a draft in a worker thread while the next batch is folded. */
export const writeInWorker = (start: string) => {
  const { ask, end } = jobThread<typeof begin>('infrastructure/read-models/writing-job', { start })
  let lost: unknown
  return {
    /** One call at a time. @throws SqliteError */
    write: async (writes: readonly Write[]): Promise<void> => {
      if (lost) throw lost
      try {
        await ask(writes)
      } catch (error) {
        // Any other error is a bug: nothing more is written.
        if (!(error instanceof Database.SqliteError)) lost = error
        throw error
      }
    },
    end,
  }
}

/** `doing` is a word such as `rebuilding`. */
export const makeBar = (doing: string) =>
  new SingleBar({
    format: `${doing} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`,
    stream: process.stderr,
    etaBuffer: 50,
  })

/** Folds batches into a draft: the next one is folded while one is written. */
export const foldInto = (draft: Draft) => {
  const { fold } = makeFold(draft, projections)
  const writer = writeInWorker(draft.path)
  /** The write of the previous batch. */
  let writing: Promise<void> = Promise.resolve()
  return {
    add: async (batch: readonly RecordedEvent[]): Promise<void> => {
      const writes = fold(batch.map(parseEvent), batch.map(leafOf))
      await writing
      writing = writer.write(writes)
      // Rethrown when it is awaited.
      writing.catch(() => {})
    },
    written: (): Promise<void> => writing,
    end: writer.end,
  }
}

/** Removes the draft on failure. Returns the number of events. */
const rebuildFrom = async (
  store: EventStore,
  settings: Settings,
  bar: SingleBar,
): Promise<number> => {
  const head = await store.head()
  const draft = buildReadModels(settings)
  const folding = foldInto(draft)
  let events = 0
  try {
    bar.start(head, 0)
    try {
      for await (const batch of store.readAll(start)) {
        await folding.add(batch)
        events += batch.length
        bar.update(Math.min(head, batch.at(-1)?.position ?? start))
      }
      await folding.written()
    } finally {
      await folding.end()
    }
    draft.finish()
    return events
  } catch (error) {
    draft.discard()
    throw error
  }
}

/**
 * Folds the whole log into new read models, with a progress bar. @throws UnreadableEvent,
 * StoreUnavailable, SqliteError
 */
export const rebuildReadModels = async (settings: Settings) => {
  const store = await openStore(settings)
  const bar = makeBar('rebuilding')
  const started = steadyTime()
  try {
    const events = await rebuildFrom(store, settings, bar)
    const seconds = (steadyTime() - started) / 1000
    return {
      events,
      seconds: Number(seconds.toFixed(2)),
      events_per_second: Math.round(events / seconds),
    }
  } finally {
    bar.stop()
    await store.close()
  }
}
