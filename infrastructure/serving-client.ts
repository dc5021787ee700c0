import { setFlagsFromString } from 'node:v8'
import type { Given, Told } from './serving-worker.ts'
import { startWorker } from './worker.ts'

/** In megabytes, of three spaces: a request makes much garbage, of which little is kept for the next one. */
const resourceLimits = { maxYoungGenerationSizeMb: 3 * 32 }

/** How often it is looked whether npm still runs, in ms. */
const lookEveryMs = 500

/** npm that dies of anything but SIGTERM and SIGINT tells nobody. */
const onEndOfParent = (act: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, lookEveryMs)
  timer.unref()
}

/**
 * Runs the service in a thread, for only a thread is given the size of its young generation by the program; this one
 * waits for signals.
 */
export const serveInWorker = (environment: Given): void => {
  // Helpers of each collection would take the processor from the other threads.
  setFlagsFromString('--no-parallel-scavenge')
  const thread = startWorker('serving-worker', { workerData: { ...environment }, resourceLimits })
  const stop = (): void => thread.postMessage('stop')
  thread.once('message', (started: Told) => {
    // Whoever reads the address may end the service in that moment.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
    process.stdout.write(started)
  })
  if (environment['npm_lifecycle_event'] === 'start') onEndOfParent(stop)
  // Any other error the thread has printed: on the way here an error of the database loses its words.
  thread.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') process.stderr.write(`${message}\n`)
  })
  thread.on('exit', (code) => (process.exitCode = code))
}
