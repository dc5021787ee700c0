import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Where work beside the requests is done: in this thread, or in threads of its own. */
export type Where = 'inline' | 'worker'

/**
 * Takes back the flag that the process was started with: the young generation of this thread has its size by now, and the
 * flag would overrule the limits of every thread that begins later.
 */
setFlagsFromString('--max-semi-space-size=0')

const isSource = import.meta.url.endsWith('.ts')

/** Starts a thread with the module of that name in this folder. */
export const startWorker = (name: string, options: WorkerOptions = {}): Worker => {
  const entry = new URL(isSource ? './worker-from-source.mjs' : `./${name}.js`, import.meta.url)
  return new Worker(entry, {
    execArgv: ['--enable-source-maps'],
    argv: [`./${name}.ts`],
    ...options,
  })
}
