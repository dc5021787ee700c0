import { parentPort, workerData } from 'node:worker_threads'
import { signRsaInline, type PrivateKeys } from '../keys/keys.ts'
import { yieldToRequests } from '../threads/thread-priority.ts'
import { endThread } from '../worker.ts'
import { TooLate } from './deadline.ts'
import { makeResolve } from './name-resolution.ts'
import type { PostAnswer } from './post.ts'
import { makeSignedPost, type PostOptions, type Unsigned } from './signed-post.ts'

/** Each key is sent once, before the first message that it signs. */
export type SendingRequest =
  | { readonly keyPair: number; readonly keys: PrivateKeys }
  | { readonly number: number; readonly keyPair: number; readonly message: Unsigned }

export type SendingReply = { readonly number: number } & (
  { readonly answer: PostAnswer } | { readonly problem: string; readonly isTooLate: boolean }
)

if (parentPort) {
  const port = parentPort
  yieldToRequests('slightly')
  const { post } = makeSignedPost(workerData as PostOptions, makeResolve(), signRsaInline)
  const pairs = new Map<number, PrivateKeys>()

  const perform = async (message: Unsigned, keys: PrivateKeys | undefined) => {
    try {
      if (!keys) throw new Error('there is no key to sign with')
      return { answer: await post(message, keys) }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { problem, isTooLate: error instanceof TooLate }
    }
  }

  port.on('message', (request: SendingRequest) => {
    if ('keys' in request) return void pairs.set(request.keyPair, request.keys)
    const { number, keyPair, message } = request
    perform(message, pairs.get(keyPair))
      .then((done) => port.postMessage({ number, ...done } satisfies SendingReply))
      .catch(endThread)
  })
}
