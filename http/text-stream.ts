import type { RawReply } from './route.ts'

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
