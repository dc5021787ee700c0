import { once } from 'node:events'
import { errorOf } from '../threads/answering-thread.ts'
import { startWorker } from '../worker.ts'
import type { Write } from './rows.ts'
import type { WritingReply, WritingRequest } from './writing-worker.ts'

/** Writes a draft in a worker thread while the next batch is folded. */
export const writeInWorker = (path: string) => {
  const thread = startWorker('infrastructure/read-models/writing-worker', { workerData: path })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const lost = new Promise<never>((_, reject) => thread.once('error', reject))
  // `write` rethrows it; unhandled, it would end the process.
  lost.catch(() => {})
  const send = (request: WritingRequest): void => thread.postMessage(request)
  return {
    /** One call at a time. @throws SqliteError */
    write: async (writes: readonly Write[]): Promise<void> => {
      send(writes)
      const [problem] = (await Promise.race([once(thread, 'message'), lost])) as [WritingReply]
      if (problem) throw errorOf(problem)
    },
    end: async (): Promise<void> => {
      send('end')
      await ended
    },
  }
}
