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
import { discardRest, isAhead, limitAhead, batchRequests } from './http-exchanges.ts'

/** Statuses for what is not a valid request. */
type Wrong = 400 | 405 | 408 | 417 | 431

/** An answer made without the app. */
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

/** The parser's error and the bytes it last read. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** How many bytes to search for the request line. */
const longestLine = 8_192
/** While stopping, requests on their way have arrived when none came for this long. */
const onTheWayMs = 100
/** Upper bound of that wait, as new connections may keep coming. */
const longestOnTheWayMs = 500
/** How often idle connections are closed while stopping. */
const closeIdleEveryMs = 50
/** How long the rest of answered requests is read while stopping. */
const longestRestAtEndMs = 1_000
/** How long requests may take to finish while stopping. */
const longestEndMs = 10_000
/** Idle limit of a connection, both ways: an unread answer takes memory. */
const longestSilenceMs = 300_000

const answer = (outgoing: ServerResponse, { status, headers, body }: Refusal): void => {
  discardRest(outgoing.req, outgoing)
  outgoing.writeHead(status, { ...headers, Connection: 'close' }).end(body)
}

/** The methods that the service knows. */
const methods = 'DELETE, GET, HEAD, POST, PUT'

/** The method, if the request is invalid only because its method is unknown. */
const unknownMethodOf = ({ rawPacket }: ClientError): string | undefined => {
  const line = rawPacket?.subarray(0, longestLine).toString('latin1') ?? ''
  const [, method] = /^([!#$%&'*+.^_`|~\w-]+) \S+ HTTP\/1\.[01]\r?\n/.exec(line) ?? []
  return method === undefined || METHODS.includes(method) ? undefined : method
}

/** Headers that must be unique: Node takes the first, others perhaps the last. */
const single = new Set(['host', 'authorization', 'content-type'])
const lengthsOfSingle = new Set([...single].map(({ length }) => length))

/** The name of such a header that is repeated (RFC 9110, 5.3; RFC 9112, 3.2). */
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

/** Answers on a raw socket and ends it. */
const answerOn = (socket: Duplex, { status, headers, body }: Refusal): void => {
  const length = String(Buffer.byteLength(body))
  const all = { ...headers, 'Content-Length': length, Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
  socket.end(head + body)
}

/**
 * The HTTP server around the app; answers what is not a valid request. `stop` lets requests finish
 * that are under way or arriving, each as the last of its connection.
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
    // The automatic clean-up would end the connection of clients that are still sending.
    autoCleanupIncoming: false,
  })
  const inBatch = batchRequests()
  const isTooFarAhead = limitAhead()

  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    begun += 1
    if (isStopping) outgoing.setHeader('Connection', 'close')
    if (incoming.headers.host === undefined && incoming.httpVersion !== '1.0')
      return answer(outgoing, refusal(400, 'The header Host is missing.'))
    const repeated = repeatedIn(incoming)
    if (repeated !== undefined)
      return answer(outgoing, refusal(400, `The header ${repeated} must appear only once.`))
    // Requests of the same route mostly have URLs of the same length.
    inBatch(incoming.url?.length ?? 0, () => {
      if (outgoing.destroyed) return
      discardRest(incoming, outgoing)
      void listener(incoming, outgoing)
    })
  }

  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    // Requests after the last answer are ignored (RFC 9112, 9.6).
    if (!incoming.socket.writable) return
    if (!isAhead(outgoing)) return begin(incoming, outgoing)
    if (isTooFarAhead(incoming, outgoing)) return
    // Begin only when the earlier answers have left, or its answer would wait in memory.
    outgoing.once('socket', () => begin(incoming, outgoing))
  })
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.timeout = longestSilenceMs
  // Off: the timeout above covers the time between requests. Proxies keep connections for a minute
  // or so, and would send into one that was just closed.
  server.keepAliveTimeout = 0

  server.on('checkExpectation', (_, outgoing: ServerResponse) =>
    answer(outgoing, refusal(417, 'Only 100-continue can be expected.')),
  )
  server.on('connect', (_, socket: Duplex) => {
    // Node leaves this socket to us; an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    if (!socket.writable) return void socket.destroy()
    answerOn(socket, notAllowed('This is not a proxy: CONNECT is not supported.'))
  })
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const first = '_httpMessage' in socket ? socket._httpMessage : null
    // Do not mix it with an answer that has begun, or that an earlier request waits for.
    const isAnswering = first instanceof ServerResponse && (first.headersSent || first.req.complete)
    if (!socket.writable || isAnswering) return void socket.destroy()
    switch (error.code) {
      case 'HPE_HEADER_OVERFLOW':
        return answerOn(socket, refusal(431, 'The headers are larger than 16 KiB.'))
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return answerOn(socket, refusal(408, 'The request was not complete in time.'))
      default: {
        const method = unknownMethodOf(error)
        return method === undefined
          ? answerOn(socket, refusal(400, 'This is no request of HTTP/1.1.'))
          : answerOn(socket, notAllowed(`The method ${method} is not known.`))
      }
    }
  })
  const stop = async (): Promise<void> => {
    isStopping = true
    // Clients answered a moment ago may be sending the next request: wait while some arrive.
    let before = -1
    for (let waited = 0; begun > before && waited < longestOnTheWayMs; waited += onTheWayMs) {
      before = begun
      await pause(onTheWayMs)
    }
    // Node does not count connections without a request as idle.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    let readsRests = true
    // Node's idle connections leave out those still sending and those that asked for CONNECT.
    const closing = setInterval(() => {
      server.closeIdleConnections()
      if (readsRests) return
      for (const socket of connections) if (socket.writableFinished) socket.destroy()
    }, closeIdleEveryMs)
    const endOfRests = setTimeout(() => (readsRests = false), longestRestAtEndMs)
    const giveUp = setTimeout(() => server.closeAllConnections(), longestEndMs)
    return new Promise((resolve) => {
      server.close(() => {
        clearInterval(closing)
        clearTimeout(endOfRests)
        clearTimeout(giveUp)
        resolve()
      })
      server.closeIdleConnections()
    })
  }
  return { server, stop }
}
