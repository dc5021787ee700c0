import { isSignedAsPng, noPng } from '../../domain/merchant/attachment.ts'
import { jobThread } from '../threads/job-thread.ts'
import type { begin } from './png-job.ts'

/** Decoding the largest picture in JavaScript takes a second. */
const limit = { ms: 20_000, late: () => 'Takes too long to decode.' }

const idleMs = 10_000

/** Decodes pictures in a worker thread, one at a time. */
export const makePngCheck = () => {
  const { ask, end } = jobThread<typeof begin, string>('infrastructure/pictures/png-job', {
    limit,
    idleMs,
  })
  return {
    /** What is wrong with the picture; null if nothing. */
    problemOf: async (bytes: Uint8Array): Promise<string | null> =>
      // Problems found in the header need no thread and no waiting.
      isSignedAsPng(bytes) ? ask(bytes) : noPng,
    end,
  }
}
