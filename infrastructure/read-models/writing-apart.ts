import Database from 'better-sqlite3'
import { once } from 'node:events'
import { startThread } from '../thread.ts'
import type { Write } from './rows.ts'
import type { Tells, Told } from './writing-thread.ts'

/** Writes a draft in a thread of its own, so that the next batch is folded meanwhile. */
export const writeApart = (path: string) => {
  const thread = startThread('read-models/writing-thread', { workerData: path })
  const tell = (told: Told): void => thread.postMessage(told)
  return {
    /** Resolves when all of it is written. One call at a time. @throws SqliteError */
    write: async (writes: readonly Write[]): Promise<void> => {
      tell(writes)
      const [problem] = (await once(thread, 'message')) as [Tells]
      if (problem) throw new Database.SqliteError(problem.message, problem.code)
    },
    end: async (): Promise<void> => {
      const ended = once(thread, 'exit')
      tell('end')
      await ended
    },
  }
}
