import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { StoreRefused, StoreUnavailable } from '../../application/event-store.ts'
import { failWith } from './own-process.ts'
import { olderReads, socketsIn, type Alone, type Sockets, type Stop } from './handed-sockets.ts'
import { serve } from './serve.ts'
import { recordIn } from '../../infrastructure/serving-record.ts'
import { readSettings, type Settings } from '../../infrastructure/settings.ts'

export type ServingStart = Readonly<Record<string, string | undefined>>
/**
 * Printed once the service is there; or the port to restart on, with new files; or that it listens
 * and waits for its store.
 */
export type ServingReply =
  | { readonly started: string; readonly sockets: Sockets; readonly record: string }
  | { readonly again: string }
  | { readonly isWaiting: true }

/** EventStoreDB was there and has gone before the service was open: it is awaited again. */
const hasLostStore = (error: unknown, { EVENT_STORE }: Settings): boolean =>
  EVENT_STORE !== 'sqlite' && error instanceof StoreUnavailable && !(error instanceof StoreRefused)

const stopIn = (port: MessagePort): Promise<Stop> =>
  new Promise((resolve) => {
    port.on('message', (request: Stop | Alone) => {
      if (request !== 'alone') resolve(request)
    })
  })

const run = async (port: MessagePort, environment: ServingStart): Promise<void> => {
  let settings: Settings | undefined
  const tell = (reply: ServingReply): void => port.postMessage(reply)
  try {
    const read = (settings = readSettings(environment))
    const again = await serve(settings, {
      stopped: stopIn(port),
      onWaiting: () => tell({ isWaiting: true }),
      onStarted: (started, sockets) => tell({ started, sockets, record: recordIn(read) }),
      sockets: socketsIn(environment),
      olderReads: olderReads(environment, (onAlone) => port.on('message', onAlone)),
    })
    if (again !== undefined) tell({ again })
    port.close()
  } catch (error) {
    if (settings && hasLostStore(error, settings)) {
      tell({ again: String(settings.PORT) })
      // What was opened by then would keep the thread running.
      process.exit()
    }
    failWith(error, settings)
  }
}

process.on('uncaughtExceptionMonitor', (error) => writeSync(2, `${inspect(error)}\n`))

if (parentPort) await run(parentPort, workerData as ServingStart)
