import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { isSignedAsPng, noPng } from '../../domain/merchant/png.ts'
import { startWorker } from '../worker.ts'
import type { PngReply, PngRequest } from './png-worker.ts'

/** A decoder in JavaScript takes a second for the largest picture. */
const longestMs = 20_000
/** A thread that has nothing to do ends after this time. */
const idleMs = 10_000

const tooLong = 'Takes too long to decode.'

/** Decodes pictures in a thread of its own, one at a time. */
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
    /** What is wrong with the picture; null for nothing. */
    problemOf: async (bytes: Uint8Array): Promise<string | null> =>
      // What is seen at once needs no thread, and waits for nobody.
      isSignedAsPng(bytes) ? inTurn(() => ask(bytes)) : noPng,
    end,
  }
}
