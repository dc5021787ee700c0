import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { contain } from '../application/contain.ts'

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

/** Starts that module. */
export const startWorker = (name: string, options: WorkerOptions = {}): Worker => {
  const entry = isSource ? new URL('./worker-from-source.mjs', import.meta.url) : moduleAt(name)
  const worker = new Worker(entry, {
    execArgv: ['--enable-source-maps'],
    argv: [`../${name}.ts`],
    ...options,
  })
  // Whoever started it may listen for its end alone: without a listener the error would end us.
  return worker.on('error', (error) => {
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
