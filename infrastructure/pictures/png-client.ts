import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { isSignedAsPng, noPng } from '../../domain/merchant/png.ts'
import { startWorker } from '../worker.ts'
import type { PngReply, PngRequest } from './png-worker.ts'

/** Decoding the largest picture in JavaScript takes a second. */
const longestMs = 20_000
/** An idle thread ends after this time. */
const idleMs = 10_000

const tooLong = 'Takes too long to decode.'

/** Decodes pictures in a worker thread, one at a time. */
export const makePngCheck = () => {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  const inTurn = concurrencyLimit({ concurrent: 1, maxWaiting: Infinity })

  const end = (): void => {
    clearTimeout(idle)
    void thread?.terminate()
    thread = undefined
  }

  const started = (): Worker => {
    clearTimeout(idle)
    if (thread) return thread
    const begun = startWorker('pictures/png-worker')
    begun.unref()
    thread = begun
    return begun
  }

  const ask = async (bytes: PngRequest): Promise<PngReply> => {
    const worker = started()
    let late: NodeJS.Timeout | undefined
    const patience = new Promise<[PngReply]>((resolve) => {
      late = setTimeout(() => resolve([tooLong]), longestMs)
    })
    try {
      worker.postMessage(bytes)
      const [problem] = (await Promise.race([once(worker, 'message'), patience])) as [PngReply]
      if (problem === tooLong) end()
      return problem
    } catch (error) {
      end()
      throw error
    } finally {
      clearTimeout(late)
      idle = setTimeout(end, idleMs).unref()
    }
  }

  return {
    /** What is wrong with the picture; null if nothing. */
    problemOf: async (bytes: Uint8Array): Promise<string | null> =>
      // Problems found in the header need no thread and no waiting.
      isSignedAsPng(bytes) ? inTurn(() => ask(bytes)) : noPng,
    end,
  }
}
