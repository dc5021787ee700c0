import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { failWith } from './own-process.ts'
import { serve } from './serve.ts'
import { readSettings, type Settings } from './settings.ts'

/** The environment of the process. */
export type ServingStart = Readonly<Record<string, string | undefined>>
/** Printed once the service listens. */
export type ServingReply = string

const run = async (port: MessagePort, environment: ServingStart): Promise<void> => {
  let settings: Settings | undefined
  try {
    settings = readSettings(environment)
    await serve(settings, async (started: ServingReply) => {
      port.postMessage(started)
      // The only message is `stop`.
      await once(port, 'message')
      port.close()
    })
  } catch (error) {
    failWith(error, settings)
  }
}

process.on('uncaughtExceptionMonitor', (error) => writeSync(2, `${inspect(error)}\n`))

if (parentPort) await run(parentPort, workerData as ServingStart)
