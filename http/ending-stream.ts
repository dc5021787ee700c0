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
