import { threadOfItsOwn } from '../thread-of-its-own.ts'
import type { Sheet } from './spreadsheet-worker.ts'

const longestMs = 60_000

/** Makes workbooks (XLSX) in a thread of its own, one at a time: a large one takes seconds. */
export const makeSpreadsheets = () => {
  const make = threadOfItsOwn<readonly Sheet[], Uint8Array<ArrayBuffer>>(
    'spreadsheets/spreadsheet-worker',
    longestMs,
  )
  return async (sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>> => {
    const file = await make(sheets)
    if (!file) throw new Error('a workbook took too long to make')
    return file
  }
}
