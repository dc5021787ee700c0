import { isSignedAsPng, noPng } from '../../domain/merchant/png.ts'
import { workerOnDemand } from '../threads/worker-on-demand.ts'
import type { PngReply, PngRequest } from './png-worker.ts'

/** Decoding the largest picture in JavaScript takes a second. */
const times = { longestMs: 20_000, idleMs: 10_000 }

const tooLong = 'Takes too long to decode.'

/** Decodes pictures in a worker thread, one at a time. */
export const makePngCheck = () => {
  const worker = workerOnDemand<PngRequest, PngReply>(
    'infrastructure/pictures/png-worker',
    times,
    Infinity,
  )
  const problemOf = async (bytes: Uint8Array): Promise<string | null> => {
    const problem = await worker.ask(bytes)
    return problem === undefined ? tooLong : problem
  }
  return {
    /** What is wrong with the picture; null if nothing. */
    problemOf: async (bytes: Uint8Array): Promise<string | null> =>
      // Problems found in the header need no thread and no waiting.
      isSignedAsPng(bytes) ? problemOf(bytes) : noPng,
    end: worker.end,
  }
}
