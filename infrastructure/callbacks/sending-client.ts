import type { Worker } from 'node:worker_threads'
import type { PrivateKeys } from '../keys/keys.ts'
import { endWorker, hear, startWorker } from '../worker.ts'
import { TooLate } from './deadline.ts'
import type { PostAnswer } from './post.ts'
import type { SendingReply, SendingRequest } from './sending-worker.ts'
import type { PostOptions, SignedPost } from './signed-post.ts'

/** In megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

/** A failure of ours, not the receiver's: the outcome of the message is unknown. */
export class SendingEnded extends Error {
  override readonly name = 'SendingEnded'
}

type Waiting = {
  readonly resolve: (answer: PostAnswer) => void
  readonly reject: (error: Error) => void
}

/** The thread, with its requests in flight. */
const startThread = (options: PostOptions, onEnd: () => void) => {
  const worker: Worker = startWorker('infrastructure/callbacks/sending-worker', {
    resourceLimits,
    workerData: options,
  })
  worker.unref()
  const waiting = new Map<number, Waiting>()
  const pairs = new Map<PrivateKeys, number>()
  let reason = 'the thread that sends callbacks has ended'
  hear(worker, (reply: SendingReply) => {
    const one = waiting.get(reply.number)
    waiting.delete(reply.number)
    if ('answer' in reply) one?.resolve(reply.answer)
    else one?.reject(reply.isTooLate ? new TooLate() : new Error(reply.problem))
    if (waiting.size === 0) worker.unref()
  })
  worker.on('error', ({ message }) => (reason = `${reason}: ${message}`))
  worker.on('exit', () => {
    onEnd()
    for (const { reject } of waiting.values()) reject(new SendingEnded(reason))
  })
  const tell = (request: SendingRequest): void => worker.postMessage(request)
  let count = 0
  return {
    post: (message: Parameters<SignedPost['post']>[0], keys: PrivateKeys) =>
      new Promise<PostAnswer>((resolve, reject) => {
        const keyPair = pairs.get(keys) ?? pairs.size
        if (!pairs.has(keys)) {
          pairs.set(keys, keyPair)
          tell({ keyPair, keys })
        }
        const number = (count += 1)
        waiting.set(number, { resolve, reject })
        worker.ref()
        tell({ number, keyPair, message })
      }),
    end: () => endWorker(worker),
  }
}

/**
 * Signs and posts in a thread of low priority, so that neither competes with requests. If the
 * thread dies, its requests in flight fail, and the next message starts another thread.
 */
export const signedPostInWorker = (options: PostOptions): SignedPost => {
  let thread: ReturnType<typeof startThread> | undefined
  const started = () => {
    const begun = startThread(options, () => {
      if (thread === begun) thread = undefined
    })
    return begun
  }
  return {
    post: (message, keys) => {
      thread ??= started()
      return thread.post(message, keys)
    },
    close: () => {
      thread?.end()
      thread = undefined
    },
  }
}
