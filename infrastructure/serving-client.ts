import { setFlagsFromString } from 'node:v8'
import type { ServingReply, ServingStart } from './serving-worker.ts'
import { startWorker } from './worker.ts'

/** In megabytes, for three spaces: requests make much short-lived garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 * 32 }

/** How often to check that npm still runs, in ms. */
const checkEveryMs = 500

/** npm passes on SIGTERM and SIGINT only. */
const onEndOfParent = (act: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, checkEveryMs)
  timer.unref()
}

/**
 * Runs the service in a worker thread, since only those can be given a young generation size. This
 * thread waits for signals.
 */
export const serveInWorker = (environment: ServingStart): void => {
  // Helper threads of the collector would compete with the other threads.
  setFlagsFromString('--no-parallel-scavenge')
  const thread = startWorker('serving-worker', { workerData: { ...environment }, resourceLimits })
  const stop = (): void => thread.postMessage('stop')
  thread.once('message', (started: ServingReply) => {
    // Install the handlers first: the reader of the address may stop the service at once.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
    process.stdout.write(started)
  })
  if (environment['npm_lifecycle_event'] === 'start') onEndOfParent(stop)
  // The worker has printed all other errors; an SqliteError would lose its message here.
  thread.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') process.stderr.write(`${message}\n`)
  })
  thread.on('exit', (code) => (process.exitCode = code))
}
