import { workerPerJob } from '../threads/worker-per-job.ts'
import type { Sheet } from './spreadsheet-worker.ts'

const longestMs = 60_000

/**
 * Makes workbooks (XLSX) in a worker thread, one at a time: a large one takes seconds. Undefined on
 * timeout.
 */
export const makeSpreadsheets = (longest = longestMs) =>
  workerPerJob<readonly Sheet[], Uint8Array<ArrayBuffer>>(
    'infrastructure/spreadsheets/spreadsheet-worker',
    longest,
  )
