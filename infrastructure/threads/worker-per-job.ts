import { once } from 'node:events'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { endWorker, startWorker } from '../worker.ts'

/** Work in a worker thread that replies once, one call at a time. Undefined on timeout. */
export const workerPerJob = <Asked, Answer>(name: string, longestMs: number) => {
  const inTurn = concurrencyLimit({ concurrent: 1, maxWaiting: 20 })

  const answer = async (asked: Asked): Promise<Answer | undefined> => {
    const worker = startWorker(name, { workerData: asked })
    const late = setTimeout(endWorker, longestMs, worker)
    try {
      const answered = once(worker, 'message') as Promise<[Answer]>
      const ended = once(worker, 'exit').then((): [undefined] => [undefined])
      const [found] = await Promise.race([answered, ended])
      return found
    } finally {
      clearTimeout(late)
      endWorker(worker)
    }
  }

  return (asked: Asked): Promise<Answer | undefined> => inTurn(() => answer(asked))
}
