import { SingleBar } from 'cli-progress'
import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../event-store/event-entry.ts'
import type { Settings } from '../settings.ts'
import { buildReadModels, openStore } from '../stores.ts'
import { makeFold } from './projector.ts'
import type { Draft } from './read-model-draft.ts'
import { once } from 'node:events'
import { errorOf } from '../threads/answering-thread.ts'
import { startWorker } from '../worker.ts'
import type { Write } from './rows.ts'
import type { WritingReply, WritingRequest } from './writing-worker.ts'

/** Writes a draft in a worker thread while the next batch is folded. */
export const writeInWorker = (path: string) => {
  const thread = startWorker('infrastructure/read-models/writing-worker', { workerData: path })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const lost = new Promise<never>((_, reject) => thread.once('error', reject))
  // `write` rethrows it; unhandled, it would end the process.
  lost.catch(() => {})
  const send = (request: WritingRequest): void => thread.postMessage(request)
  return {
    /** One call at a time. @throws SqliteError */
    write: async (writes: readonly Write[]): Promise<void> => {
      send(writes)
      const [problem] = (await Promise.race([once(thread, 'message'), lost])) as [WritingReply]
      if (problem) throw errorOf(problem)
    },
    end: async (): Promise<void> => {
      send('end')
      await ended
    },
  }
}

/** `doing` is a word such as `rebuilding`. */
export const makeBar = (doing: string) =>
  new SingleBar({
    format: `${doing} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`,
    stream: process.stderr,
    etaBuffer: 50,
  })

/** Returns the number of events folded. */
const foldInto = async (
  draft: Draft,
  store: EventStore,
  onFolded: (position: Position) => void,
): Promise<number> => {
  const { fold } = makeFold(draft, projections)
  const writer = writeInWorker(draft.path)
  let events = 0
  /** The write of the previous batch. */
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const batch of store.readAll(start)) {
      const writes = fold(batch.map(parseEvent), batch.map(leafOf))
      await writing
      writing = writer.write(writes)
      // Rethrown when the next batch awaits it.
      writing.catch(() => {})
      events += batch.length
      onFolded(batch.at(-1)?.position ?? start)
    }
    await writing
  } finally {
    await writer.end()
  }
  return events
}

/** Removes the draft on failure. Returns the number of events. */
const rebuildFrom = async (
  store: EventStore,
  settings: Settings,
  bar: SingleBar,
): Promise<number> => {
  const head = await store.head()
  const draft = buildReadModels(settings)
  try {
    bar.start(head, 0)
    const events = await foldInto(draft, store, (position) => bar.update(Math.min(head, position)))
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
  const started = performance.now()
  try {
    const events = await rebuildFrom(store, settings, bar)
    const seconds = (performance.now() - started) / 1000
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
