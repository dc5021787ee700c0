import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { basename } from 'node:path'
import { contain } from '../application/contain.ts'
import { counterBy } from '../application/measures.ts'
import type { DamagedEvent } from '../application/event-store.ts'
import { constants, getPriority, setPriority } from 'node:os'

/**
 * How far a thread yields to those that answer requests: an increment of nice(1), added to that of
 * the thread that starts it.
 * `slightly`: receivers of callbacks must not starve. `much`: some requests wait for it.
 * `wholly`: nobody waits for it.
 */
const increments = { slightly: 5, much: 10, wholly: constants.priority.PRIORITY_LOW }

export type Yielding = keyof typeof increments

/** Lowers the priority of this thread. Other systems than Linux have one for the whole process. */
export const yieldToRequests = (how: Yielding): void => {
  if (process.platform !== 'linux') return
  setPriority(Math.min(getPriority() + increments[how], constants.priority.PRIORITY_LOW))
}

/** An error in the form sent between threads, where its class would be lost. */
export type ThreadProblem = {
  readonly problem: string
  /** Code of an SQLite error. */
  readonly code?: string
  readonly damaged?: DamagedEvent['event']
  readonly isUnreadable?: true
}

/** By names, because a thread for small jobs does not load the classes. */
export const problemOf = (error: unknown): ThreadProblem => {
  if (!(error instanceof Error)) return { problem: String(error) }
  const { name, message } = error
  if (name === 'DamagedEvent') {
    const { problem, event } = error as DamagedEvent
    return { problem, damaged: event }
  }
  if (name === 'UnreadableEvent') return { problem: message, isUnreadable: true }
  const { code } = error as { readonly code?: string }
  return name === 'SqliteError' && code ? { problem: message, code } : { problem: message }
}

/** Whether work runs in this thread or in a worker thread. */
export type Where = 'inline' | 'worker'

/**
 * Resets the flag the process was started with: this thread already has its size, and the flag
 * would override the limits of later threads.
 */
setFlagsFromString('--max-semi-space-size=0')

const isSource = import.meta.url.endsWith('.ts')

/** The module of that path in the repository, without its ending. */
export const moduleAt = (name: string): URL =>
  new URL(`../${name}.${isSource ? 'ts' : 'js'}`, import.meta.url)

const failures = counterBy('thread')

/** How often threads that this one started have ended with an error. */
export const threadFailures = failures.samples

/** Threads that do jobs share an entry, and are named by what they do. */
const threadName = (name: string, { workerData }: WorkerOptions): string => {
  const module: unknown = workerData?.module
  return basename(typeof module === 'string' ? module : name)
}

export const startWorker = (name: string, options: WorkerOptions = {}): Worker => {
  const counted = [threadName(name, options)]
  failures.count(counted, 0)
  const entry = isSource ? new URL('./worker-from-source.mjs', import.meta.url) : moduleAt(name)
  const worker = new Worker(entry, {
    execArgv: ['--enable-source-maps'],
    argv: [`../${name}.ts`],
    ...options,
  })
  // Whoever started it may listen for its end alone: without a listener the error would end us.
  return worker.on('error', (error) => {
    failures.count(counted)
    if (worker.listenerCount('error') === 1) process.stderr.write(`${name}: ${inspect(error)}\n`)
  })
}

/**
 * Handles what a worker says. What the handler throws ends the worker as an error of its own does,
 * and whoever started it starts it again.
 */
export const hear = <Message>(worker: Worker, handle: (message: Message) => unknown): Worker =>
  worker.on(
    'message',
    contain(handle, (error) => {
      worker.emit('error', error)
      endWorker(worker)
    }),
  )

/** Its end is told by the event `exit`. */
export const endWorker = (worker: Worker): void => void worker.terminate().catch(() => {})

/** For promises of a worker that nobody waits for: they end the thread, with their error. */
export const endThread = (error: unknown): never => {
  throw error
}
