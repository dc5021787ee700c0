import { once } from 'node:events'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { startWorker } from '../worker.ts'
import type { Sheet } from './spreadsheet-worker.ts'

const longestMs = 60_000

/** Makes workbooks (XLSX) in a thread of its own, one at a time: a large one takes seconds. */
export const makeSpreadsheets = () => {
  const inTurn = concurrencyLimit({ concurrent: 1, maxWaiting: 20 })

  const make = async (sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>> => {
    const worker = startWorker('spreadsheets/spreadsheet-worker', { workerData: sheets })
    const late = setTimeout(() => void worker.terminate(), longestMs)
    try {
      const made = once(worker, 'message') as Promise<[Uint8Array<ArrayBuffer>]>
      const ended = once(worker, 'exit').then((): [undefined] => [undefined])
      const [file] = await Promise.race([made, ended])
      if (!file) throw new Error('a workbook took too long to make')
      return file
    } finally {
      clearTimeout(late)
      void worker.terminate()
    }
  }

  return (sheets: readonly Sheet[]) => inTurn(() => make(sheets))
}
