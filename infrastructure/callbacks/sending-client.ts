import type { PrivateKeys } from '../keys/keys.ts'
import { jobThread } from '../threads/job-thread.ts'
import { TooLate } from '../deadline.ts'
import type { begin } from './sending-job.ts'
import type { PostOptions, SignedPost } from './signed-post.ts'

/** In megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

/**
 * Signs and posts in a thread of low priority, so that neither competes with requests. If the
 * thread dies, its messages under way fail with ThreadEnded: their outcome is unknown, and the
 * receiver is not to blame.
 */
export const signedPostInWorker = (start: PostOptions): SignedPost => {
  /** Pairs that the thread has. */
  const pairs = new Map<PrivateKeys, number>()
  const forget = (): void => pairs.clear()
  const { ask, end } = jobThread<typeof begin>('infrastructure/callbacks/sending-job', {
    ...{ start, resourceLimits },
    yields: 'slightly',
    concurrent: Infinity,
    onEnd: forget,
  })
  return {
    post: async (message, keys) => {
      const known = pairs.get(keys)
      const keyPair = known ?? pairs.size
      pairs.set(keys, keyPair)
      try {
        const answer = await ask({ message, keyPair, ...(known === undefined && { keys }) })
        if (answer !== 'too late') return answer
      } catch (error) {
        // The thread may not have received them.
        forget()
        throw error
      }
      throw new TooLate()
    },
    close: () => {
      forget()
      end().catch(() => {})
    },
  }
}
