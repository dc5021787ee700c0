import { signRsaInline, type PrivateKeys } from '../keys/keys.ts'
import { TooLate } from '../deadline.ts'
import { makeResolve } from './name-resolution.ts'
import type { PostAnswer } from './post.ts'
import { makeSignedPost, type PostOptions, type Unsigned } from './signed-post.ts'

type SendingRequest = {
  readonly message: Unsigned
  readonly keyPair: number
  /** With the first message that they sign. */
  readonly keys?: PrivateKeys
}

export const begin = (options: PostOptions) => {
  const { post } = makeSignedPost(options, makeResolve(), signRsaInline)
  const pairs = new Map<number, PrivateKeys>()
  return async (request: SendingRequest): Promise<PostAnswer | 'too late'> => {
    const keys = request.keys ?? pairs.get(request.keyPair)
    if (!keys) throw new Error('there is no key to sign with')
    pairs.set(request.keyPair, keys)
    try {
      return await post(request.message, keys)
    } catch (error) {
      if (error instanceof TooLate) return 'too late'
      throw error
    }
  }
}
