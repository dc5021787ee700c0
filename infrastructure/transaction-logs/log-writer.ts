import type { Worker } from 'node:worker_threads'
import type { Completion } from '../../domain/ledger.ts'
import { startThread } from '../thread.ts'
import type { LogJob } from './log-thread.ts'

type Waiting = {
  readonly resolve: (completion: Completion) => void
  readonly reject: (error: Error) => void
}

/** In megabytes: the lines stream through, and a heap that may grow would only be collected later. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** Writes logs in a thread of its own, one after another, so that a million lines hold up no request. */
export const makeLogWriter = () => {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let count = 0

  const lose = (problem: string): void => {
    worker = undefined
    for (const { reject } of waiting.values()) reject(new Error(problem))
    waiting.clear()
  }

  const running = (): Worker => {
    if (worker) return worker
    const started = startThread('transaction-logs/log-thread', { resourceLimits })
    started.on('message', ({ id, completion, problem }) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (problem === undefined) asked?.resolve(completion as Completion)
      else asked?.reject(new Error(problem as string))
      if (waiting.size === 0) started.unref()
    })
    started.on('error', (error) => lose(error.message))
    started.on('exit', () => {
      if (worker === started) lose('the thread that writes logs has ended')
    })
    worker = started
    return started
  }

  return {
    write: (job: LogJob): Promise<Completion> =>
      new Promise((resolve, reject) => {
        const id = (count += 1)
        waiting.set(id, { resolve, reject })
        const thread = running()
        thread.ref()
        thread.postMessage({ id, job })
      }),
    close: async (): Promise<void> => {
      const ending = worker
      worker = undefined
      await ending?.terminate()
      lose('the log writer is closed')
    },
  }
}

export type LogWriter = ReturnType<typeof makeLogWriter>
