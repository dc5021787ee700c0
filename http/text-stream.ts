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
