import cluster, { type Worker } from 'node:cluster'
import { contain } from '../../application/contain.ts'
import { type Log, makeLog } from '../../infrastructure/logs/log.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { gatherMetrics } from './gather-metrics.ts'
import type { ToSupervisor } from './siblings.ts'
import { freePort } from '../server/listening.ts'
import { servesOperator } from '../server/start-server.ts'
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
  return (): Started => {
    const worker = cluster.fork(env)
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

type Needs = {
  readonly start: () => Started
  readonly log: Log
  readonly isStopping: () => boolean
  readonly onStarted: (worker: Worker) => void
  readonly onEnded: (worker: Worker) => void
}

const keepRunning = async (needs: Needs, first: Started): Promise<void> => {
  const { start, log, isStopping, onStarted, onEnded } = needs
  let failures = 0
  for (let { worker } = first; ; { worker } = start()) {
    const began = steadyTime()
    onStarted(worker)
    const code = await exitOf(worker)
    onEnded(worker)
    if (isStopping()) return
    failures = steadyTime() - began < steadyMs ? failures + 1 : 0
    const againInMs = pauseBefore(failures)
    const { pid } = worker.process
    log.error({ pid, code, againInMs }, 'a process of the service has ended and is restarted')
    await pause(againInMs)
    if (isStopping()) return
  }
}

const environmentOf = async (environment: NodeJS.ProcessEnv, settings: Settings) => {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT } = settings
  const port = await freePort(HOST, PORT)
  const metrics = servesOperator(settings)
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
    for (const worker of running) if (worker.isConnected()) worker.send('stop', () => {})
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  const needs: Needs = {
    ...{ start, log, isStopping: () => hasStopped },
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
  const all = [first, ...others].map((one) => keepRunning(needs, one))
  await Promise.all(others.map((one) => one.greeting))
  if (!hasStopped) process.stdout.write(greeting)
  await Promise.all(all)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop)
}
