import type { RawReply, Route } from './route.ts'
import { limitedCounts } from '../application/concurrency-limit.ts'
import type { MaybePromise } from '../application/maybe-promise.ts'
import { callerOf, type Call } from './call.ts'
import { RequestError } from './errors.ts'

/** The same stream; `end` is called once, when it is read, fails or is given up. */
export const endingWith = (stream: ReadableStream, end: () => void): ReadableStream => {
  const reader = stream.getReader()
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
      } catch (error) {
        end()
        throw error
      }
      end()
      controller.close()
    },
    cancel: async (reason) => {
      end()
      await reader.cancel(reason)
    },
  })
}

/** Without it Excel reads UTF-8 as something else. Programs get CSV without it. */
export const byteOrderMark = new Uint8Array([0xef, 0xbb, 0xbf])

/** A CSV that a person downloads and opens in a spreadsheet. */
export const csvDownload = (
  filename: string,
  csv: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
) =>
  ({
    type: 'text/csv; charset=utf-8',
    body: csv.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => controller.enqueue(byteOrderMark),
      }),
    ),
    headers: { ...headers, 'Content-Disposition': `attachment; filename="${filename}"` },
  }) satisfies RawReply

/** Text as UTF-8, made as fast as the reader takes it. */
export const textStream = (parts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> =>
  new ReadableStream<string>({
    pull: async (controller) => {
      const { value, done } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await parts.return()),
  }).pipeThrough(new TextEncoderStream())

export const mostAtOnce = 16

export const refuseMore = (): never => {
  const description = `You read ${mostAtOnce} such answers already: read one to its end first.`
  throw new RequestError(429, description, null, { 'Retry-After': '2' })
}

export const isStreamed = (
  answer: unknown,
): answer is RawReply & { readonly body: ReadableStream } =>
  ((answer ?? {}) as Partial<RawReply>).body instanceof ReadableStream

/**
 * Limits the answers of a merchant that are sent as they are made, such as receipts
 * (interface 14.3): each holds memory, and files of a moment, until it is read.
 */
export const fewStreamsAtOnce = (): ((original: Route) => Route) => {
  const underWay = limitedCounts(mostAtOnce)

  return (original) => {
    if (original.success !== 'raw' || original.access === 'OPEN') return original
    const handle = async (call: Call): Promise<unknown> => {
      const { merchant, actor } = callerOf(call)
      const who = merchant || actor
      if (!underWay.take(who)) return refuseMore()
      const leave = (): void => underWay.leave(who)
      try {
        const answer = await (original.handle(call) as MaybePromise<unknown>)
        if (isStreamed(answer)) return { ...answer, body: endingWith(answer.body, leave) }
        leave()
        return answer
      } catch (error) {
        leave()
        throw error
      }
    }
    return { ...original, handle }
  }
}
