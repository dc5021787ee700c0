import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { foldHere } from './folding.ts'
import { openReadModels, openStore, type Place } from './stores.ts'

/** What this thread is told, and what it tells. */
export type Told = 'hurry' | 'stop'
export type Tells = { readonly position: number } | { readonly problem: string }

const run = (port: MessagePort, place: Place): void => {
  const tell = (what: Tells): void => port.postMessage(what)
  const store = openStore(place)
  const file = openReadModels(place)
  const folding = foldHere({ store, file })({
    onMoved: (position) => tell({ position }),
    onFailure: (error) => tell({ problem: error instanceof Error ? error.message : String(error) }),
  })

  const stop = async (): Promise<void> => {
    await folding.stop()
    await store.close()
    file.sqlite.close()
    port.close()
  }

  port.on('message', (told: Told) => {
    if (told === 'hurry') folding.hurry()
    else void stop()
  })
}

if (parentPort) run(parentPort, workerData as Place)
