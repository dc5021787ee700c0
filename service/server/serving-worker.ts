import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { StoreRefused, StoreUnavailable } from '../../application/event-store.ts'
import { failWith } from './own-process.ts'
import { serve } from './serve.ts'
import { readSettings, type Settings } from '../../infrastructure/settings.ts'

export type ServingStart = Readonly<Record<string, string | undefined>>
/**
 * Printed once the service is there; or the port to restart on, with new files; or that it listens
 * and waits for its store.
 */
export type ServingReply =
  { readonly started: string } | { readonly again: string } | { readonly isWaiting: true }

/** EventStoreDB was there and has gone before the service was open: it is awaited again. */
const hasLostStore = (error: unknown, { EVENT_STORE }: Settings): boolean =>
  EVENT_STORE !== 'sqlite' && error instanceof StoreUnavailable && !(error instanceof StoreRefused)

const run = async (port: MessagePort, environment: ServingStart): Promise<void> => {
  let settings: Settings | undefined
  const tell = (reply: ServingReply): void => port.postMessage(reply)
  try {
    settings = readSettings(environment)
    const again = await serve(settings, {
      // The only message is `stop`.
      stopped: once(port, 'message'),
      onWaiting: () => tell({ isWaiting: true }),
      onStarted: (started) => tell({ started }),
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
