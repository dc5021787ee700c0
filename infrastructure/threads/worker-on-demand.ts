import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import type { Path } from '../../application/fair-queue.ts'
import { endWorker, startWorker } from '../worker.ts'

type Times = {
  readonly longestMs: number
  /** An idle thread ends after this time. */
  readonly idleMs: number
}

/**
 * A worker thread that answers one message at a time, and runs while there are some. Who asks take
 * turns. Undefined if the answer takes too long.
 */
export const workerOnDemand = <Asked, Answer>(
  name: string,
  { longestMs, idleMs }: Times,
  maxWaiting: number,
) => {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  const inTurn = concurrencyLimit({ concurrent: 1, maxWaiting })

  const end = (): void => {
    clearTimeout(idle)
    if (thread) endWorker(thread)
    thread = undefined
  }

  const started = (): Worker => {
    clearTimeout(idle)
    if (thread) return thread
    const begun = startWorker(name)
    begun.unref()
    thread = begun
    return begun
  }

  const ask = async (asked: Asked): Promise<Answer | undefined> => {
    const worker = started()
    let late: NodeJS.Timeout | undefined
    const patience = new Promise<[undefined]>((resolve) => {
      late = setTimeout(() => resolve([undefined]), longestMs)
    })
    try {
      worker.postMessage(asked)
      const answered = once(worker, 'message') as Promise<[Answer]>
      const [answer] = await Promise.race([answered, patience])
      if (answer === undefined) end()
      return answer
    } catch (error) {
      end()
      throw error
    } finally {
      clearTimeout(late)
      idle = setTimeout(end, idleMs).unref()
    }
  }

  return {
    ask: (asked: Asked, whose?: string | Path): Promise<Answer | undefined> =>
      inTurn(() => ask(asked), whose),
    end,
  }
}
