import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Whether work runs in this thread or in a worker thread. */
export type Where = 'inline' | 'worker'

/**
 * Resets the flag the process was started with: this thread already has its size, and the flag
 * would override the limits of later threads.
 */
setFlagsFromString('--max-semi-space-size=0')

const isSource = import.meta.url.endsWith('.ts')

export const startWorker = (name: string, options: WorkerOptions = {}): Worker => {
  const entry = new URL(isSource ? './worker-from-source.mjs' : `./${name}.js`, import.meta.url)
  return new Worker(entry, {
    execArgv: ['--enable-source-maps'],
    argv: [`./${name}.ts`],
    ...options,
  })
}
