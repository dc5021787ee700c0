import { getRequestListener } from '@hono/node-server'
import {
  createServer,
  METHODS,
  ServerResponse,
  STATUS_CODES,
  type IncomingMessage,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hearRest, isAhead, limitAhead, together } from './http-exchanges.ts'

/** What can be wrong with what is no request. */
type Wrong = 400 | 405 | 408 | 417 | 431

/** An answer that no app has made. */
type Refusal = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Needs = {
  readonly fetch: Parameters<typeof getRequestListener>[0]
  readonly hostname: string
  readonly refusal: (status: Wrong, description: string) => Refusal
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/** What the parser says of what it could not read, and the bytes that it was given last. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** Bytes within which a line is looked for that names a method. */
const longestLine = 8_192
/** Once the server has begun to end, requests that were on their way have arrived when none has come for as long. */
const onTheWayMs = 100
/** How long they are waited for: new connections may go on coming. */
const longestOnTheWayMs = 500
/** How often connections that have become idle are looked for while the server ends. */
const lookEveryMs = 50
/** How long the rest of requests that are answered is heard while the server ends. */
const longestRestAtEndMs = 1_000
/** How long requests may take to their end when the server ends. */
const longestEndMs = 10_000
/** How long a connection may neither say nor take anything: whoever does not read an answer keeps it in memory. */
const longestSilenceMs = 300_000

const answer = (outgoing: ServerResponse, { status, headers, body }: Refusal): void => {
  hearRest(outgoing.req, outgoing)
  outgoing.writeHead(status, { ...headers, Connection: 'close' }).end(body)
}

/** What any resource of the service can be asked with. */
const methods = 'DELETE, GET, HEAD, POST, PUT'

/** The method of a request that is none only because nobody knows its method. */
const unknownMethodOf = ({ rawPacket }: ClientError): string | undefined => {
  const line = rawPacket?.subarray(0, longestLine).toString('latin1') ?? ''
  const [, method] = /^([!#$%&'*+.^_`|~\w-]+) \S+ HTTP\/1\.[01]\r?\n/.exec(line) ?? []
  return method === undefined || METHODS.includes(method) ? undefined : method
}

/** Headers of which Node takes the first, and others perhaps the last. */
const single = new Set(['host', 'authorization', 'content-type'])
const lengthsOfSingle = new Set([...single].map(({ length }) => length))

/** One of them that stands there more than once: which of two is meant nobody could say (RFC 9110, 5.3; RFC 9112, 3.2). */
const repeatedIn = ({ rawHeaders }: IncomingMessage): string | undefined => {
  let found = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!lengthsOfSingle.has(name.length)) continue
    const lower = name.toLowerCase()
    if (!single.has(lower)) continue
    if (found.includes(lower)) return name
    found += ` ${lower}`
  }
  return undefined
}

/** Answers on a connection of which the server has lost track, and ends it. */
const answerOn = (socket: Duplex, { status, headers, body }: Refusal): void => {
  const length = String(Buffer.byteLength(body))
  const all = { ...headers, 'Content-Length': length, Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
  socket.end(head + body)
}

/**
 * The server before the app: what is no request is refused as clearly as everything else. `stop` lets the requests that
 * are under way, or on their way, come to their end, each the last of its connection.
 */
export const makeHttpServer = ({ fetch, hostname, refusal, pause }: Needs) => {
  let isStopping = false
  let begun = 0
  const unroutable = () => {
    const { status, headers, body } = refusal(400, 'The target or the Host is malformed.')
    return new Response(body, { status, headers })
  }
  const notAllowed = (description: string): Refusal => {
    const { status, headers, body } = refusal(405, description)
    return { status, headers: { ...headers, Allow: methods }, body }
  }
  const listener = getRequestListener(fetch, {
    hostname,
    errorHandler: unroutable,
    // Half a second after the answer it would end the connection of those who are still sending.
    autoCleanupIncoming: false,
  })
  const answerTogether = together()
  const isTooFarAhead = limitAhead()

  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    begun += 1
    if (isStopping) outgoing.setHeader('Connection', 'close')
    if (incoming.headers.host === undefined && incoming.httpVersion !== '1.0')
      return answer(outgoing, refusal(400, 'The header Host is missing.'))
    const repeated = repeatedIn(incoming)
    if (repeated !== undefined)
      return answer(outgoing, refusal(400, `The header ${repeated} stands there more than once.`))
    // What asks for the same has a target of the same length, for the most part.
    answerTogether(incoming.url?.length ?? 0, () => {
      // The client has gone meanwhile.
      if (outgoing.destroyed) return
      hearRest(incoming, outgoing)
      void listener(incoming, outgoing)
    })
  }

  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    // Behind the last answer of a connection: nobody would hear of it (RFC 9112, 9.6).
    if (!incoming.socket.writable) return
    if (!isAhead(outgoing)) return begin(incoming, outgoing)
    if (isTooFarAhead(incoming, outgoing)) return
    // Its answer would wait in memory for those before it to be read, so it begins when these have left: then it gets the
    // socket.
    outgoing.once('socket', () => begin(incoming, outgoing))
  })
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.timeout = longestSilenceMs
  // None of its own: the timeout above holds between two requests, too. A proxy keeps its connections for a minute or so,
  // and would send into one that was closed before.
  server.keepAliveTimeout = 0

  server.on('checkExpectation', (_, outgoing: ServerResponse) =>
    answer(outgoing, refusal(417, 'There is nothing to expect but 100-continue.')),
  )
  server.on('connect', (_, socket: Duplex) => {
    // Node has left it to us: an error that nobody hears would end the process.
    socket.on('error', () => socket.destroy())
    if (!socket.writable) return void socket.destroy()
    answerOn(socket, notAllowed('This is no proxy: CONNECT is not for it.'))
  })
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const first = '_httpMessage' in socket ? socket._httpMessage : null
    // An answer that has begun, or one to an earlier request of the connection, must not be mixed with another.
    const isAnswering = first instanceof ServerResponse && (first.headersSent || first.req.complete)
    if (!socket.writable || isAnswering) return void socket.destroy()
    switch (error.code) {
      case 'HPE_HEADER_OVERFLOW':
        return answerOn(socket, refusal(431, 'The headers are larger than 16 KiB.'))
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return answerOn(socket, refusal(408, 'The request did not come to its end in time.'))
      default: {
        const method = unknownMethodOf(error)
        return method === undefined
          ? answerOn(socket, refusal(400, 'This is no request of HTTP/1.1.'))
          : answerOn(socket, notAllowed(`There is no method ${method}.`))
      }
    }
  })
  const stop = async (): Promise<void> => {
    isStopping = true
    // Clients that had an answer a moment ago may be sending the next request: it is waited for as long as some arrive.
    let before = -1
    for (let waited = 0; begun > before && waited < longestOnTheWayMs; waited += onTheWayMs) {
      before = begun
      await pause(onTheWayMs)
    }
    // Node does not count a connection as idle before its first request.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    let hearsRests = true
    // Node counts neither who is still sending as idle, nor at all on whose connection CONNECT was asked for.
    const closing = setInterval(() => {
      server.closeIdleConnections()
      if (hearsRests) return
      for (const socket of connections) if (socket.writableFinished) socket.destroy()
    }, lookEveryMs)
    const hush = setTimeout(() => (hearsRests = false), longestRestAtEndMs)
    const giveUp = setTimeout(() => server.closeAllConnections(), longestEndMs)
    return new Promise((resolve) => {
      server.close(() => {
        clearInterval(closing)
        clearTimeout(hush)
        clearTimeout(giveUp)
        resolve()
      })
      server.closeIdleConnections()
    })
  }
  return { server, stop }
}
