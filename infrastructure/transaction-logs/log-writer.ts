import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Completion } from '../../domain/accounting/completion.ts'
import Database from '../sqlite.ts'
import { startWorker } from '../worker.ts'
import type { LogJob } from './log-worker.ts'

type AtWork = {
  readonly resolve: (completion: Completion) => void
  readonly reject: (error: Error) => void
}

/** In megabytes: the lines stream through, and a heap that may grow would only be collected later. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

const closed = (): StoreUnavailable => new StoreUnavailable('the log writer is closed')

/** In ms: no log takes as long to be written, by whatever process. */
const draftLifetime = 86_400_000

/** Processes that were killed have left their drafts, which nobody else knows. */
const removeLeftDrafts = (directory: string): void => {
  try {
    for (const name of readdirSync(directory)) {
      if (!name.endsWith('.draft')) continue
      const file = join(directory, name)
      if (statSync(file).mtimeMs < Date.now() - draftLifetime) rmSync(file, { force: true })
    }
  } catch {
    // There is no such folder yet, or another process was first: they are in nobody's way, and a later start tries again.
  }
}

/**
 * Writes logs in a thread of its own, one after another, so that a million lines hold up no request. A log that the
 * thread dies of is not written, and the next one has a new thread.
 */
export const makeLogWriter = (directory: string) => {
  removeLeftDrafts(directory)
  /** The name of the log under way, until it is whole; what has it when the thread is lost is thrown away. */
  const draftFile = join(directory, `${randomUUID()}.draft`)
  let atWork: AtWork | undefined
  let worker: Worker | undefined
  let isClosed = false
  let turn: Promise<unknown> = Promise.resolve()

  /** The thread has ended: its draft is removed, and whoever waits for its log hears why. */
  const lose = (problem: Error): void => {
    worker = undefined
    try {
      rmSync(draftFile, { force: true })
    } catch {
      // A later start tries again.
    }
    atWork?.reject(problem)
    atWork = undefined
  }

  const start = (): Worker => {
    const started = startWorker('transaction-logs/log-worker', {
      resourceLimits,
      workerData: draftFile,
    })
    let reason = new Error('the thread that writes logs has ended')
    started.on('message', ({ completion, problem, code }) => {
      started.unref()
      if (problem === undefined) atWork?.resolve(completion as Completion)
      // An error of the database would lose its message and code between threads, so they come by themselves.
      else atWork?.reject(code ? new Database.SqliteError(problem, code) : new Error(problem))
      atWork = undefined
    })
    started.on('error', (error) => (reason = error))
    // Only now is it certain that it writes no more to the draft that the next one begins.
    started.on('exit', () => {
      if (worker === started) lose(reason)
    })
    return started
  }

  const perform = (job: LogJob): Promise<Completion> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(closed())
      worker ??= start()
      atWork = { resolve, reject }
      worker.ref()
      worker.postMessage(job)
    })

  return {
    write: (job: LogJob): Promise<Completion> => {
      const written = turn.then(() => perform(job))
      turn = written.catch(() => {})
      return written
    },
    close: async (): Promise<void> => {
      const ending = worker
      isClosed = true
      worker = undefined
      await ending?.terminate()
      lose(closed())
    },
  }
}

export type LogWriter = ReturnType<typeof makeLogWriter>
