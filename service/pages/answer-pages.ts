import type { FromPages, PageRequest, ToPages } from './page-exchange.ts'

type Bindings = {
  readonly incoming: {
    readonly headers: PageRequest['headers']
    readonly url: string
    readonly socket: { readonly remoteAddress: string | undefined }
  }
}

type Fetch = (request: Request, bindings: Bindings) => Response | Promise<Response>

const pairsOf = (headers: PageRequest['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )

export const answerPages = (fetch: Fetch, send: (message: FromPages) => void) => {
  const readers = new Map<number, ReadableStreamDefaultReader<Uint8Array> | 'awaited'>()

  const answer = async (ask: number, request: PageRequest): Promise<void> => {
    readers.set(ask, 'awaited')
    const { url, method, target, headers, peer } = request
    const incoming = { headers, url: target, socket: { remoteAddress: peer } }
    const response = await fetch(new Request(url, { method, headers: pairsOf(headers) }), {
      incoming,
    })
    const isAwaited = readers.delete(ask)
    if (!isAwaited) return void (await response.body?.cancel())
    const hasBody = response.body !== null
    if (response.body) readers.set(ask, response.body.getReader())
    send({ answer: ask, status: response.status, headers: [...response.headers], hasBody })
  }

  const readOn = async (of: number): Promise<void> => {
    const reader = readers.get(of)
    if (!reader || reader === 'awaited') return
    const { done, value } = await reader.read()
    if (done) readers.delete(of)
    send({ of, chunk: value })
  }

  const leave = async (number: number): Promise<void> => {
    const reader = readers.get(number)
    readers.delete(number)
    if (reader && reader !== 'awaited') await reader.cancel()
  }

  const failing =
    (failed: number) =>
    (error: unknown): void => {
      readers.delete(failed)
      send({ failed, problem: error instanceof Error ? error.message : String(error) })
    }

  return (
    message: Exclude<ToPages, string | { readonly moved: number } | { readonly told: number }>,
  ): void => {
    if ('ask' in message) answer(message.ask, message.request).catch(failing(message.ask))
    else if ('more' in message) readOn(message.more).catch(failing(message.more))
    else leave(message.leave).catch(() => {})
  }
}
