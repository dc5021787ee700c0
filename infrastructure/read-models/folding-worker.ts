import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { start, type Position } from '../../application/event-store.ts'
import { openStore, type Place } from '../stores.ts'
import { foldInline } from './folding.ts'
import { openReadModelsAgain } from './read-model-file.ts'

/** What this thread begins with: where the log is, and the file of the read models that the process has opened. */
export type Given = { readonly place: Place; readonly readModels: string }

/** What this thread is told, and what it tells. */
export type Told = 'hurry' | 'stop'
export type Tells = { readonly position: number } | { readonly problem: string }

/** Few enough for a checkpoint of the log to be short, for folding waits meanwhile. */
const eventsBetweenCheckpoints = 500

const run = async (port: MessagePort, { place, readModels }: Given): Promise<void> => {
  const tell = (what: Tells): void => port.postMessage(what)
  const store = await openStore(place)
  const file = openReadModelsAgain(readModels)
  let checkpoint = start

  const onFailure = (error: unknown): void =>
    tell({ problem: error instanceof Error ? error.message : String(error) })

  const keepLogShort = (position: Position): void => {
    if (position < checkpoint + eventsBetweenCheckpoints) return
    checkpoint = position
    try {
      store.log?.checkpoint()
    } catch (error) {
      // What is appended and what is folded does not depend on it.
      onFailure(error)
    }
  }

  const folding = foldInline({ store, file })({
    onMoved: (position) => {
      tell({ position })
      keepLogShort(position)
    },
    onFailure,
  })

  const stop = async (): Promise<void> => {
    await folding.stop()
    await store.close()
    file.sqlite.close()
    port.close()
  }

  port.on('message', (told: Told) => {
    if (told === 'stop') return void stop()
    // What somebody waits for was committed, and perhaps not told of.
    store.log?.look()
    folding.hurry()
  })
}

if (parentPort) await run(parentPort, workerData as Given)
