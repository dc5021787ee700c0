import { once } from 'node:events'
import Database from '../sqlite.ts'
import { startWorker } from '../worker.ts'
import type { Write } from './rows.ts'
import type { Tells, Told } from './writing-worker.ts'

/** Writes a draft in a thread of its own, so that the next batch is folded meanwhile. */
export const writeInWorker = (path: string) => {
  const thread = startWorker('read-models/writing-worker', { workerData: path })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const lost = new Promise<never>((_, reject) => thread.once('error', reject))
  // `write` tells of it; without this, a failure between two writes would end the process.
  lost.catch(() => {})
  const tell = (told: Told): void => thread.postMessage(told)
  return {
    /** Resolves when all of it is written. One call at a time. @throws SqliteError */
    write: async (writes: readonly Write[]): Promise<void> => {
      tell(writes)
      const [problem] = (await Promise.race([once(thread, 'message'), lost])) as [Tells]
      if (problem) throw new Database.SqliteError(problem.message, problem.code)
    },
    end: async (): Promise<void> => {
      tell('end')
      await ended
    },
  }
}
