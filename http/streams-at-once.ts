import { limitedCounts } from '../application/concurrency-limit.ts'
import type { MaybePromise } from '../application/maybe-promise.ts'
import { callerOf, type Call } from './call.ts'
import { endingWith } from './text-stream.ts'
import { RequestError } from './errors.ts'
import type { RawReply, Route } from './route.ts'

const mostAtOnce = 16

const refuseMore = (): never => {
  const description = `You read ${mostAtOnce} such answers already: read one to its end first.`
  throw new RequestError(429, description, null, { 'Retry-After': '2' })
}

const isStreamed = (answer: unknown): answer is RawReply & { readonly body: ReadableStream } =>
  ((answer ?? {}) as Partial<RawReply>).body instanceof ReadableStream

/**
 * Limits the answers of a merchant that are sent as they are made, such as receipts
 * (interface 14.3): each holds memory, and files of a moment, until it is read.
 */
export const fewStreamsAtOnce = (): ((given: Route) => Route) => {
  const underWay = limitedCounts(mostAtOnce)

  return (given) => {
    if (given.success !== 'raw' || given.access === 'OPEN') return given
    const handle = async (call: Call): Promise<unknown> => {
      const { merchant, actor } = callerOf(call)
      const who = merchant || actor
      if (!underWay.take(who)) return refuseMore()
      const leave = (): void => underWay.leave(who)
      try {
        const answer = await (given.handle(call) as MaybePromise<unknown>)
        if (isStreamed(answer)) return { ...answer, body: endingWith(answer.body, leave) }
        leave()
        return answer
      } catch (error) {
        leave()
        throw error
      }
    }
    return { ...given, handle }
  }
}
