import { jobThread } from '../threads/job-thread.ts'
import type { begin } from './spreadsheet-job.ts'

/**
 * Makes workbooks (XLSX) in a worker thread, one at a time: a large one takes seconds. Undefined if
 * it takes too long.
 */
export const makeSpreadsheets = (longestMs = 60_000) =>
  jobThread<typeof begin, undefined>('infrastructure/spreadsheets/spreadsheet-job', {
    limit: { ms: longestMs, late: () => undefined },
    idleMs: 0,
    maxWaiting: 20,
  }).ask
