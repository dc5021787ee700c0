import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Completion } from '../../domain/accounting/completion.ts'
import { jobThread } from '../threads/job-thread.ts'
import type { begin, LogJob } from './log-job.ts'

/** In megabytes. Lines are streamed; a larger heap would only be collected later. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** In ms; no log takes this long to write. */
const draftLifetime = 86_400_000

/** Removes drafts of killed processes. */
const removeLeftDrafts = (directory: string): void => {
  try {
    for (const name of readdirSync(directory)) {
      if (!name.endsWith('.draft')) continue
      const file = join(directory, name)
      if (statSync(file).mtimeMs < Date.now() - draftLifetime) rmSync(file, { force: true })
    }
  } catch {
    // The directory does not exist yet, or another process was faster; a later start tries again.
  }
}

/**
 * Writes logs in sequence in a worker thread. If the thread dies, its log fails and the next one
 * starts a new thread.
 */
export const makeLogWriter = (directory: string) => {
  removeLeftDrafts(directory)
  /** The file in progress; removed if the thread is lost. */
  const draftFile = join(directory, `${randomUUID()}.draft`)
  const { ask, end } = jobThread<typeof begin>('infrastructure/transaction-logs/log-job', {
    start: draftFile,
    yields: 'much',
    resourceLimits,
    closed: 'the log writer is closed',
    onEnd: () => {
      try {
        rmSync(draftFile, { force: true })
      } catch {
        // A later start tries again.
      }
    },
  })
  return { write: (job: LogJob): Promise<Completion> => ask(job), close: end }
}

export type LogWriter = ReturnType<typeof makeLogWriter>
