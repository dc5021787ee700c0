import { SingleBar } from 'cli-progress'
import { start } from '../application/event-store.ts'
import { parseEvent } from '../domain/events.ts'
import { projections } from '../projections/all.ts'
import { openStore, readModelDirectory } from './core.ts'
import { makeProjector } from './projector.ts'
import { buildReadModelFile } from './read-model-file.ts'
import type { Settings } from './settings.ts'

/** Folds the whole log into new read models, showing how far it is; answers how many events at what speed. */
export const rebuildReadModels = async (settings: Settings) => {
  const store = openStore(settings)
  const file = buildReadModelFile(
    readModelDirectory(settings),
    projections.map(({ table }) => table),
  )
  const projector = makeProjector(file, projections)
  const head = await store.head()
  const bar = new SingleBar({
    format: 'rebuilding {bar} {percentage}% | {value}/{total} | {eta_formatted} left',
    stream: process.stderr,
    etaBuffer: 50,
  })
  bar.start(head, 0)
  const started = performance.now()
  let events = 0
  for await (const batch of store.readAll(start)) {
    projector.apply(batch.map(parseEvent))
    events += batch.length
    bar.update(Math.min(head, batch.at(-1)?.position ?? 0))
  }
  const seconds = (performance.now() - started) / 1000
  bar.stop()
  file.finish()
  await store.close()
  return {
    events,
    seconds: Number(seconds.toFixed(2)),
    events_per_second: Math.round(events / seconds),
  }
}
