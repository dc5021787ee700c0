import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { fewOpenFiles } from '../../infrastructure/open-files.ts'
import type { ServingReply, ServingStart } from './serving-worker.ts'
import { startWorker } from '../../infrastructure/worker.ts'
import { clearInterval, setInterval } from '../../application/machine.ts'

/** In megabytes, for three spaces: requests produce much short-lived garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 * 32 }

/** How often to check that npm is still running, in ms. */
const checkEveryMs = 500

/** `npm start` and `npx`. */
const startedByNpm: ReadonlySet<string> = new Set(['start', 'npx'])

/** npm forwards SIGTERM and SIGINT only. */
const onEndOfParent = (act: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, checkEveryMs)
  timer.unref()
}

const begin = (environment: ServingStart): Worker =>
  startWorker('service/server/serving-worker', { workerData: { ...environment }, resourceLimits })

/**
 * Runs the service in a worker thread, because only workers can have a young generation size. This
 * thread waits for signals.
 */
export const serveInWorker = (environment: ServingStart): void => {
  const few = fewOpenFiles()
  if (few?.isTooFew) {
    process.stderr.write(`${few.text}\n`)
    process.exitCode = 1
    return
  }
  // Helper threads of the collector would compete with the other threads.
  setFlagsFromString('--no-parallel-scavenge')
  let thread = begin(environment)
  let isStopping = false
  const stop = (): void => {
    isStopping = true
    thread.postMessage('stop')
  }
  const onMessage = (reply: ServingReply): void => {
    if ('again' in reply) {
      // A new thread creates new read models, or awaits the store, at the same address.
      thread.once('exit', () => {
        if (isStopping) return
        thread = begin({ ...environment, PORT: reply.again })
        watch()
      })
      return
    }
    // Install the handlers first: a reader of the address may stop the service at once.
    if (!isHandling) for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
    isHandling = true
    if ('isWaiting' in reply || isGreeted) return
    isGreeted = true
    process.stdout.write(reply.started)
  }
  let [isGreeted, isHandling] = [false, false]
  const watch = (): void => {
    thread.on('message', onMessage)
    // The worker has printed all other errors; an SqliteError would lose its message here.
    thread.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') process.stderr.write(`${message}\n`)
    })
    thread.on('exit', (code) => (process.exitCode = code))
  }
  watch()
  if (startedByNpm.has(environment['npm_lifecycle_event'] ?? '')) onEndOfParent(stop)
}
