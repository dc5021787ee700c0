import cluster, { type Worker } from 'node:cluster'
import { contain } from '../../application/contain.ts'
import { type Log, makeLog } from '../../infrastructure/logs/log.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { gatherMetrics } from './gather-metrics.ts'
import type { ToSupervisor } from './siblings.ts'
import { freePort } from '../server/listening.ts'
import { replacing, socketsIn, type Alone, type Stop } from '../server/handed-sockets.ts'
import { servesOperator } from '../server/start-server.ts'
import { eventLevel } from '../../domain/event-level.ts'
import { recordIn, removeRecord, writeRecord } from '../../infrastructure/serving-record.ts'
import { pause, steadyTime } from '../../application/machine.ts'

const [firstPauseMs, longestPauseMs] = [500, 30_000]
/** A process that ran this long has not failed to start. */
const steadyMs = 60_000

export const pauseBefore = (failures: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10))

/** In megabytes: requests produce much short-lived garbage. */
const flags = ['--max-semi-space-size=32', '--no-parallel-scavenge']

type Started = { readonly worker: Worker; readonly greeting: Promise<string | undefined> }

/** Starts processes that share their port. */
const starting = (env: NodeJS.ProcessEnv, onMessage: (of: Worker, text: ToSupervisor) => void) => {
  const [exec, args] = [process.argv[1] as string, ['serve']]
  // JSON would lose metrics that are not a number.
  cluster.setupPrimary({ exec, args, execArgv: flags, serialization: 'advanced' })
  return (more: NodeJS.ProcessEnv = {}): Started => {
    const worker = cluster.fork({ ...env, ...more })
    const greeting = new Promise<string | undefined>((resolve) => {
      worker.on('message', (message: ToSupervisor) => {
        if ('started' in message) resolve(message.started)
        else onMessage(worker, message)
      })
      worker.once('exit', () => resolve(undefined))
      // Its end is what counts.
      worker.on('error', () => {})
    })
    return { worker, greeting }
  }
}

const exitOf = (worker: Worker): Promise<number | null> =>
  new Promise((resolve) => {
    if (worker.isDead()) return resolve(worker.process.exitCode)
    worker.once('exit', (code: number | null) => resolve(code))
  })

/** One of the processes, and the one that takes its place. */
type Place = { worker: Worker; next?: Worker | undefined }

type Needs = {
  readonly start: (more?: NodeJS.ProcessEnv) => Started
  readonly log: Log
  readonly isStopping: () => boolean
  readonly onStarted: (worker: Worker) => void
  readonly onEnded: (worker: Worker) => void
}

const keepRunning = async (needs: Needs, place: Place): Promise<void> => {
  const { start, log, isStopping, onStarted, onEnded } = needs
  let failures = 0
  for (; ; place.worker = place.next ?? start().worker, place.next = undefined) {
    const { worker } = place
    const began = steadyTime()
    onStarted(worker)
    const code = await exitOf(worker)
    onEnded(worker)
    if (place.next) continue
    if (isStopping()) return
    failures = steadyTime() - began < steadyMs ? failures + 1 : 0
    const againInMs = pauseBefore(failures)
    const { pid } = worker.process
    log.error({ pid, code, againInMs }, 'a process of the service has ended and is restarted')
    await pause(againInMs)
    if (isStopping()) return
  }
}

const tell = (worker: Worker, word: Stop | Alone): void => {
  if (worker.isConnected()) worker.send(word, () => {})
}

/**
 * Replaces one process after another by the program on disk. Each answers until its successor does.
 * @throws Error if one does not start; the others stay
 */
const replaceAll = async ({ start, onStarted }: Needs, places: readonly Place[]): Promise<void> => {
  const newer: Worker[] = []
  for (const place of places) {
    const { worker, greeting } = start({ [replacing]: String(eventLevel) })
    if ((await greeting) === undefined)
      throw new Error('a new process is not ready, and the others go on')
    const { worker: older } = place
    place.next = worker
    onStarted(worker)
    tell(older, 'replaced')
    await exitOf(older)
    newer.push(worker)
  }
  for (const worker of newer) tell(worker, 'alone')
}

/** Calls `replace` on each SIGHUP, once at a time, and notes what came of it. */
const onHangUp = (replace: () => Promise<void>, record: string): (() => void) => {
  let isUnderWay = false
  const reload = (): void => {
    if (isUnderWay) return
    isUnderWay = true
    replace()
      .then(
        () => writeRecord(record),
        ({ message }: Error) => {
          process.stderr.write(`reload: ${message}\n`)
          writeRecord(record, message)
        },
      )
      .finally(() => (isUnderWay = false))
  }
  process.on('SIGHUP', reload)
  return () => void process.off('SIGHUP', reload)
}

const environmentOf = async (environment: NodeJS.ProcessEnv, settings: Settings) => {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT } = settings
  const sockets = socketsIn(environment)
  const port = sockets.http === undefined ? await freePort(HOST, PORT) : PORT
  const metrics =
    sockets.metrics === undefined && servesOperator(settings)
      ? await freePort(METRICS_HOST, METRICS_PORT)
      : METRICS_PORT
  return { ...environment, PORT: String(port), METRICS_PORT: String(metrics) }
}

/**
 * Runs several processes of the service on one port and one `DATA_DIR`. Ends when all have ended
 * after SIGTERM or SIGINT, or if the first one cannot start.
 */
export const supervise = async (
  environment: NodeJS.ProcessEnv,
  settings: Settings,
  count: number,
): Promise<void> => {
  const running = new Set<Worker>()
  const log = makeLog(settings.LOG_LEVEL)
  const failed = (error: unknown): void =>
    log.error({ error }, "the processes' metrics could not be joined")
  const { onMessage, onEnded } = gatherMetrics(() => [...running], failed)
  const start = starting(await environmentOf(environment, settings), (worker, message) =>
    contain(onMessage, failed)(worker, message),
  )
  let hasStopped = false
  const stop = (): void => {
    hasStopped = true
    for (const worker of running) tell(worker, 'stop')
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  const needs: Needs = {
    start,
    log,
    isStopping: () => hasStopped,
    onStarted: (worker) => {
      running.add(worker)
      if (hasStopped) stop()
    },
    onEnded: (worker) => {
      running.delete(worker)
      onEnded(worker)
    },
  }

  // The first one creates what a new directory needs.
  const first = start()
  running.add(first.worker)
  const greeting = await first.greeting
  if (greeting === undefined) {
    process.exitCode = first.worker.process.exitCode ?? 1
    return
  }
  if (hasStopped) return void (await exitOf(first.worker))
  const others = Array.from({ length: count - 1 }, start)
  const places: Place[] = [first, ...others].map(({ worker }) => ({ worker }))
  const all = places.map((place) => keepRunning(needs, place))
  await Promise.all(others.map((one) => one.greeting))
  const record = recordIn(settings)
  writeRecord(record)
  const callOff = onHangUp(() => replaceAll(needs, places), record)
  if (!hasStopped) process.stdout.write(greeting)
  await Promise.all(all)
  callOff()
  removeRecord(record)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop)
}
