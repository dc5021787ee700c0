import { isatty } from 'node:tty'
import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { fewOpenFiles } from '../../infrastructure/open-files.ts'
import type { ServingReply, ServingStart } from './serving-worker.ts'
import { startWorker } from '../../infrastructure/worker.ts'
import { startNext, replacing, type Alone, type Sockets, type Stop } from './handed-sockets.ts'
import { removeRecord, writeRecord } from '../../infrastructure/serving-record.ts'
import { eventLevel } from '../../domain/event-level.ts'
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

/** Calls `stop` on signals that end the service, and `reload` on SIGHUP. */
const onSignals = (stop: () => void, reload: () => void): void => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  // A terminal that is closed sends it too.
  process.on('SIGHUP', isatty(0) ? stop : reload)
}

type Serving = { readonly sockets: Sockets; readonly record: string }

/**
 * Replaces this process by the program on disk, once at a time. `replaced` ends this one; false if
 * it was told to stop meanwhile.
 */
const reloading = (environment: ServingStart, replaced: () => boolean) => {
  let isUnderWay = false
  return async ({ sockets, record }: Serving): Promise<void> => {
    if (isUnderWay) return
    isUnderWay = true
    try {
      const next = await startNext(environment, sockets, eventLevel)
      if (!replaced()) process.kill(next, 'SIGTERM')
    } catch (error) {
      isUnderWay = false
      const { message } = error as Error
      process.stderr.write(`reload: ${message}\n`)
      writeRecord(record, message)
    }
  }
}

/** It listens anew, and replaces nothing. */
const withoutOlder = { LISTEN_FDS: '', [replacing]: undefined }

/** Tells the process that this one replaces that it may end, and the thread that it has ended. */
const tellOlder = (thread: () => Worker): void => {
  process.send?.('ready')
  process.once('disconnect', () => thread().postMessage('alone' satisfies Alone))
  // That must not keep this process from ending.
  process.channel?.unref()
}

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
  let serving: Serving | undefined
  const end = (why: Stop): boolean => {
    if (isStopping) return false
    isStopping = true
    thread.postMessage(why)
    return true
  }
  const stop = (): void => void end('stop')
  const reload = reloading(environment, () => end('replaced'))
  const onMessage = (reply: ServingReply): void => {
    if ('again' in reply) {
      // A new thread creates new read models, or awaits the store, at the same address.
      thread.once('exit', () => {
        if (isStopping) return
        thread = begin({ ...environment, ...withoutOlder, PORT: reply.again })
        watch()
      })
      return
    }
    // Install the handlers first: a reader of the address may stop the service at once.
    if (!isHandling) onSignals(stop, () => serving && void reload(serving))
    isHandling = true
    if ('isWaiting' in reply) return
    serving = reply
    writeRecord(reply.record)
    if (environment[replacing] !== undefined) tellOlder(() => thread)
    if (isGreeted) return
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
    thread.on('exit', (code) => {
      process.exitCode = code
      if (serving) removeRecord(serving.record)
    })
  }
  watch()
  if (startedByNpm.has(environment['npm_lifecycle_event'] ?? '')) onEndOfParent(stop)
}
