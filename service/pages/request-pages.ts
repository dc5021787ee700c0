import type { FromPages, PageRequest, ToPages } from './page-exchange.ts'

type Answer = Extract<FromPages, { readonly answer: number }>

type Waiting = {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
}

/** Responses from a worker, whose bodies are streamed on demand. */
export const requestPages = (tell: (message: ToPages) => void) => {
  const waiting = new Map<number, Waiting>()
  const reading = new Map<number, ReadableStreamDefaultController<Uint8Array>>()
  let count = 0

  const bodyOf = (number: number): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start: (controller) => void reading.set(number, controller),
      pull: () => tell({ more: number }),
      cancel: () => {
        reading.delete(number)
        tell({ leave: number })
      },
    })

  const fail = (number: number, error: Error): void => {
    waiting.get(number)?.reject(error)
    waiting.delete(number)
    reading.get(number)?.error(error)
    reading.delete(number)
  }

  return {
    ask: (request: PageRequest): Promise<Response> =>
      new Promise((resolve, reject) => {
        count += 1
        waiting.set(count, { resolve, reject })
        tell({ ask: count, request })
      }),
    answered: ({ answer, status, headers, hasBody }: Answer): void => {
      const body = hasBody ? bodyOf(answer) : null
      waiting.get(answer)?.resolve(new Response(body, { status, headers }))
      waiting.delete(answer)
    },
    read: (number: number, chunk: Uint8Array | undefined): void => {
      const controller = reading.get(number)
      if (chunk) return controller?.enqueue(chunk)
      reading.delete(number)
      controller?.close()
    },
    fail,
    failAll: (error: Error): void => {
      for (const number of [...waiting.keys(), ...reading.keys()]) fail(number, error)
    },
    underWay: (): number => waiting.size + reading.size,
  }
}
