import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { inspect } from 'node:util'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { failWith } from './own-process.ts'
import { serve } from './server.ts'
import { readSettings, type Settings } from './settings.ts'

/** What this thread begins with: the environment of the process. */
export type Given = Readonly<Record<string, string | undefined>>
/** What it tells once it listens, for whoever has started the service. */
export type Told = string

const run = async (port: MessagePort, environment: Given): Promise<void> => {
  let settings: Settings | undefined
  try {
    settings = readSettings(environment)
    await serve(settings, async (started: Told) => {
      port.postMessage(started)
      // Whatever it is told: there is nothing else to be told of.
      await once(port, 'message')
      port.close()
    })
  } catch (error) {
    failWith(error, settings)
  }
}

process.on('uncaughtExceptionMonitor', (error) => writeSync(2, `${inspect(error)}\n`))

if (parentPort) await run(parentPort, workerData as Given)
