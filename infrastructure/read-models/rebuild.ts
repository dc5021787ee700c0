import { SingleBar } from 'cli-progress'
import { start } from '../../application/event-store.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { projections } from '../../projections/all.ts'
import type { Settings } from '../settings.ts'
import { buildReadModels, openStore } from '../stores.ts'
import { makeProjector } from './projector.ts'

/** In one transaction: a page that many of them change is written once. */
const eventsAtOnce = 10_000

/** Folds the whole log into new read models, showing how far it is; answers how many events at what speed. */
export const rebuildReadModels = async (settings: Settings) => {
  const store = openStore(settings)
  const file = buildReadModels(settings)
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
  let gathered: Recorded[] = []
  const fold = (): void => {
    projector.apply(gathered)
    events += gathered.length
    bar.update(Math.min(head, gathered.at(-1)?.position ?? 0))
    gathered = []
  }
  for await (const batch of store.readAll(start)) {
    for (const event of batch) gathered.push(parseEvent(event))
    if (gathered.length >= eventsAtOnce) fold()
  }
  fold()
  file.finish()
  const seconds = (performance.now() - started) / 1000
  bar.stop()
  await store.close()
  return {
    events,
    seconds: Number(seconds.toFixed(2)),
    events_per_second: Math.round(events / seconds),
  }
}
