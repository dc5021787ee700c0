import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Where is done what goes on beside the requests: in this thread, or in threads of their own. */
export type Where = 'here' | 'apart'

/**
 * How much this thread may keep young was settled when it began. As long as the flag stands, it overrules the limits of
 * every thread that begins later.
 */
setFlagsFromString('--max-semi-space-size=0')

const isSource = import.meta.url.endsWith('.ts')

/** Starts a thread with the module of that name in this folder. */
export const startThread = (name: string, options: WorkerOptions = {}): Worker => {
  const entry = new URL(isSource ? './thread-from-source.mjs' : `./${name}.js`, import.meta.url)
  return new Worker(entry, { execArgv: [], argv: [`./${name}.ts`], ...options })
}
