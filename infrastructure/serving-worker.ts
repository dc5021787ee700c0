import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { failWith } from './own-process.ts'
import { serve } from './serve.ts'
import { readSettings, type Settings } from './settings.ts'

/** The environment of the process. */
export type ServingStart = Readonly<Record<string, string | undefined>>
/** Printed once the service listens; or the port to restart on, with new files. */
export type ServingReply = { readonly started: string } | { readonly again: string }

const run = async (port: MessagePort, environment: ServingStart): Promise<void> => {
  let settings: Settings | undefined
  try {
    settings = readSettings(environment)
    const again = await serve(settings, async (started) => {
      port.postMessage({ started } satisfies ServingReply)
      // The only message is `stop`.
      await once(port, 'message')
    })
    if (again !== undefined) port.postMessage({ again } satisfies ServingReply)
    port.close()
  } catch (error) {
    failWith(error, settings)
  }
}

process.on('uncaughtExceptionMonitor', (error) => writeSync(2, `${inspect(error)}\n`))

if (parentPort) await run(parentPort, workerData as ServingStart)
