import { SingleBar } from 'cli-progress'
import { start } from '../../application/event-store.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { projections } from '../../projections/all.ts'
import type { Settings } from '../settings.ts'
import { buildReadModels, openStore } from '../stores.ts'
import { makeFold } from './projector.ts'
import { writeApart } from './writing-apart.ts'

/** In one transaction, at least; more of them would be old before they are thrown away. */
const eventsAtOnce = 1_000

/** Folds the whole log into new read models, showing how far it is; answers how many events at what speed. */
export const rebuildReadModels = async (settings: Settings) => {
  const store = openStore(settings)
  const draft = buildReadModels(settings)
  const { fold } = makeFold(draft, projections)
  const writer = writeApart(draft.path)
  const head = await store.head()
  const bar = new SingleBar({
    format: 'rebuilding {bar} {percentage}% | {value}/{total} | {eta_formatted} left',
    stream: process.stderr,
    etaBuffer: 50,
  })
  bar.start(head, 0)
  const started = performance.now()
  let events = 0
  let gathered: Recorded[] = []
  /** The batch before, while it is being written. */
  let writing: Promise<void> = Promise.resolve()

  const foldGathered = async (): Promise<void> => {
    const writes = fold(gathered)
    await writing
    writing = writer.write(writes)
    // It is heard of when the next batch waits for it.
    writing.catch(() => {})
    events += gathered.length
    bar.update(Math.min(head, gathered.at(-1)?.position ?? 0))
    gathered = []
  }

  try {
    for await (const batch of store.readAll(start)) {
      for (const event of batch) gathered.push(parseEvent(event))
      if (gathered.length >= eventsAtOnce) await foldGathered()
    }
    await foldGathered()
    await writing
  } finally {
    await writer.end()
  }
  draft.finish()
  const seconds = (performance.now() - started) / 1000
  bar.stop()
  await store.close()
  return {
    events,
    seconds: Number(seconds.toFixed(2)),
    events_per_second: Math.round(events / seconds),
  }
}
