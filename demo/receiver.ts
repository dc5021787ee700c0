import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { problemsOf, type CallbackKeys, type Posted } from '../harness/callback-check.ts'

/** A message that arrived, once or again. */
export type Arrival = {
  readonly path: string
  readonly headers: Posted['headers']
  readonly body: string
  readonly meta: {
    readonly id: string
    readonly event: string
    readonly uri: string | null
    readonly timestamp: string
    readonly seqno: number
    readonly merchant_id: string
  }
  readonly object: any
  readonly problems: readonly string[]
}

/** What to answer; `break off` closes the connection, a promise keeps the sender waiting. */
export type Reply =
  | number
  | 'break off'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | Promise<number>

type Options = {
  readonly keys: CallbackKeys
  /** Whose messages it takes: those of `sandbox` by default. */
  readonly merchant?: string
  /** A further check of each message, which throws for what it does not believe. */
  readonly believe?: (posted: Pick<Posted, 'headers' | 'body'>) => Promise<void>
  /** 204 by default. */
  readonly reply?: (arrival: Arrival) => Reply
  /** Key and certificate; https when they are there. */
  readonly tls?: ServerOptions
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const single = (headers: IncomingMessage['headers']): Posted['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const rememberArrivals = () => {
  const arrivals: Arrival[] = []
  const seen = new Map<string, Arrival>()
  const watchers = new Set<() => void>()
  return {
    /** Also for a message that came in another way. */
    take: (arrival: Arrival): void => {
      const { meta, problems } = arrival
      arrivals.push(arrival)
      if (problems.length === 0 && !seen.has(meta.id)) seen.set(meta.id, arrival)
      for (const look of watchers) look()
    },
    /** Everything that came, repeated and unbelievable messages among it. */
    arrivals: arrivals as readonly Arrival[],
    /** The believable ones, each once, in the order in which they first came. */
    messages: (): Arrival[] => [...seen.values()],
    /** Resolves once what came fits. */
    until: (isEnough: (arrivals: readonly Arrival[]) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isEnough(arrivals)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
  }
}

/** A receiver of callbacks: verifies messages, sets repeated ones aside, and remembers the rest. */
export const startReceiver = async (options: Options) => {
  const { keys, merchant, believe = async () => {}, reply = () => 204, tls } = options
  const remembered = rememberArrivals()
  const scheme = tls ? 'https' : 'http'

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request)
    const headers = single(request.headers)
    const path = request.url ?? '/'
    const url = `${scheme}://${headers['host']}${path}`
    const { meta, object } = JSON.parse(body) as Pick<Arrival, 'meta' | 'object'>
    const doubts = await believe({ headers, body }).then(
      () => [],
      (error) => [String(error)],
    )
    const problems = [...problemsOf({ url, headers, body }, keys, merchant), ...doubts]
    const arrival = { path, headers, body, meta, object, problems }
    remembered.take(arrival)
    // Nobody is to learn of a message that cannot be believed.
    const answer = problems.length > 0 ? 401 : await reply(arrival)
    if (answer === 'break off') return void response.destroy()
    if (typeof answer === 'number') return void response.writeHead(answer).end()
    response.writeHead(answer.status, answer.headers).end()
  }

  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void receive(request, response).catch(() => response.destroy())
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    /** Where to send callbacks. */
    url: (path: string): string => `${scheme}://127.0.0.1:${port}${path}`,
    ...remembered,
    close: (): Promise<unknown> => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
