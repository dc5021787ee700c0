import { threadOfItsOwn } from '../thread-of-its-own.ts'
import type { Sheet } from './spreadsheet-worker.ts'

const longestMs = 60_000

/**
 * Makes workbooks (XLSX) in a thread of its own, one at a time: a large one takes seconds.
 * Undefined where it takes too long.
 */
export const makeSpreadsheets = (longest = longestMs) =>
  threadOfItsOwn<readonly Sheet[], Uint8Array<ArrayBuffer>>(
    'spreadsheets/spreadsheet-worker',
    longest,
  )
