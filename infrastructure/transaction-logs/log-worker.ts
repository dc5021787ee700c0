import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import Database from '../sqlite.ts'
import { performLogJob, type LogJob } from './log-job.ts'

const draftFile = workerData as string

// Requests come first, but some wait for a log: at the lowest priority for seconds.
// Only on Linux does this set the priority of this thread alone.
if (parentPort && process.platform === 'linux')
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))

parentPort?.on('message', (job: LogJob) => {
  try {
    parentPort?.postMessage({ completion: performLogJob(job, draftFile) })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const code = error instanceof Database.SqliteError ? error.code : undefined
    parentPort?.postMessage({ problem, code })
  }
})
