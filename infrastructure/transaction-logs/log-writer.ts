import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Completion } from '../../domain/accounting/completion.ts'
import Database from '../sqlite.ts'
import { startWorker } from '../worker.ts'
import type { LogJob } from './log-job.ts'

type CurrentLog = {
  readonly resolve: (completion: Completion) => void
  readonly reject: (error: Error) => void
}

/** In megabytes. Lines stream through; a larger heap would only be collected later. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

const closed = (): StoreUnavailable => new StoreUnavailable('the log writer is closed')

/** In ms; no log takes this long to write. */
const draftLifetime = 86_400_000

/** Removes drafts of processes that were killed. */
const removeLeftDrafts = (directory: string): void => {
  try {
    for (const name of readdirSync(directory)) {
      if (!name.endsWith('.draft')) continue
      const file = join(directory, name)
      if (statSync(file).mtimeMs < Date.now() - draftLifetime) rmSync(file, { force: true })
    }
  } catch {
    // No folder yet, or another process was faster; a later start tries again.
  }
}

/**
 * Writes logs one after another in a worker thread. If the thread dies, its log fails and the next
 * one starts a new thread.
 */
export const makeLogWriter = (directory: string) => {
  removeLeftDrafts(directory)
  /** The file under way; removed when the thread is lost. */
  const draftFile = join(directory, `${randomUUID()}.draft`)
  let current: CurrentLog | undefined
  let worker: Worker | undefined
  let isClosed = false
  let turn: Promise<unknown> = Promise.resolve()

  /** Removes the draft and fails the current log. */
  const endThread = (problem: Error): void => {
    worker = undefined
    try {
      rmSync(draftFile, { force: true })
    } catch {
      // A later start tries again.
    }
    current?.reject(problem)
    current = undefined
  }

  const start = (): Worker => {
    const started = startWorker('transaction-logs/log-worker', {
      resourceLimits,
      workerData: draftFile,
    })
    let reason = new Error('the thread that writes logs has ended')
    started.on('message', ({ completion, problem, code }) => {
      started.unref()
      if (problem === undefined) current?.resolve(completion as Completion)
      // An SqliteError loses its message and code between threads, so they are sent separately.
      else current?.reject(code ? new Database.SqliteError(problem, code) : new Error(problem))
      current = undefined
    })
    started.on('error', (error) => (reason = error))
    // Only now is it certain that the thread no longer writes to the draft.
    started.on('exit', () => {
      if (worker === started) endThread(reason)
    })
    return started
  }

  const perform = (job: LogJob): Promise<Completion> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(closed())
      worker ??= start()
      current = { resolve, reject }
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
      endThread(closed())
    },
  }
}

export type LogWriter = ReturnType<typeof makeLogWriter>
