import { parentPort, workerData } from 'node:worker_threads'
import type { Completion } from '../../domain/accounting/completion.ts'
import { problemOf, type Answered } from '../threads/answering-thread.ts'
import { yieldToRequests } from '../threads/thread-priority.ts'
import { performLogJob, type LogJob } from './log-job.ts'

const draftFile = workerData as string

const perform = (job: LogJob): Answered<Completion> => {
  try {
    return { result: performLogJob(job, draftFile) }
  } catch (error) {
    return problemOf(error)
  }
}

if (parentPort) yieldToRequests('much')

parentPort?.on('message', (job: LogJob) => parentPort?.postMessage(perform(job)))
