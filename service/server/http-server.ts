import { getRequestListener } from '@hono/node-server'
import { createServer, type IncomingMessage, type ServerResponse, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { contain } from '../../application/contain.ts'
import { discardRest, isAhead, limitAhead, batchRequests } from './http-exchanges.ts'
import { answerWrong, answerWrongRequests, repeatedIn, type MakeRefusal } from './wrong-requests.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../application/machine.ts'

/** While stopping, requests in transit count as arrived after this long without a new one. */
const onTheWayMs = 100
/** Upper bound of that wait, as new connections may keep arriving. */
const longestOnTheWayMs = 500
/** How often idle connections are closed while stopping. */
const closeIdleEveryMs = 50
/** How long the rest of answered requests is read while stopping. */
const longestRestAtEndMs = 1_000
/** How long requests may take to finish while stopping. */
const longestEndMs = 10_000
/** How long a connection may be idle once another process answers new ones. */
const idleWhenReplacedMs = 5_000

/** Recently answered clients may be sending the next request: waits while some arrive. */
const waitForRequests = async (begun: () => number, pause: Needs['pause']): Promise<void> => {
  let before = -1
  for (let waited = 0; begun() > before && waited < longestOnTheWayMs; waited += onTheWayMs) {
    before = begun()
    await pause(onTheWayMs)
  }
}

/**
 * Takes no new connections: another process has the same socket. Each connection may still send a
 * request, after whose answer it ends.
 */
const leaveToNext = (server: Server, pause: Needs['pause']): Promise<unknown> =>
  Promise.race([
    // That of an HTTP server would cut idle connections.
    new Promise((resolve) => NetServer.prototype.close.call(server, resolve)),
    pause(idleWhenReplacedMs),
  ])

/** Lets requests in progress or arriving finish, each as the last one on its connection. */
const stopServer = async (
  server: Server,
  connections: ReadonlySet<Socket>,
  arrived: Promise<unknown>,
): Promise<void> => {
  await arrived
  // Node does not count connections without a request as idle.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  let readsRests = true
  // Node's idle connections exclude those still sending and those that sent CONNECT.
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

/** What answers requests, and what answers those that are not valid. */
export type Answers = {
  readonly fetch: Parameters<typeof getRequestListener>[0]
  readonly refusal: MakeRefusal
}

type Needs = Answers & {
  readonly hostname: string
  readonly pause: (milliseconds: number) => Promise<unknown>
  /** Called with what failed outside of the app; the connection is closed. */
  readonly onFailure: (error: unknown) => void
}

/** Idle timeout of a connection in both directions: an unread response takes memory. */
const longestSilenceMs = 300_000

/**
 * The HTTP server around the app; also answers invalid requests. `stop` lets requests in progress
 * or arriving finish, each as the last one on its connection.
 * Long because the request handler and `stop` share what has begun.
 */
export const makeHttpServer = ({ fetch, hostname, refusal, pause, onFailure }: Needs) => {
  let isStopping = false
  let begun = 0
  const unroutable = () => {
    const { status, headers, body } = refusal(400, 'The target or the Host is malformed.')
    return new Response(body, { status, headers })
  }
  const listener = getRequestListener(fetch, {
    hostname,
    errorHandler: unroutable,
    // The automatic clean-up would close connections of clients that are still sending.
    autoCleanupIncoming: false,
  })
  const closing = (socket: Duplex) => (error: unknown) => {
    onFailure(error)
    socket.destroy()
  }
  const inBatch = batchRequests()
  const isTooFarAhead = limitAhead()

  const failing = ({ socket }: IncomingMessage) => closing(socket)

  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    begun += 1
    if (isStopping) outgoing.setHeader('Connection', 'close')
    if (incoming.headers.host === undefined && incoming.httpVersion !== '1.0')
      return answerWrong(outgoing, refusal(400, 'The header Host is missing.'))
    const repeated = repeatedIn(incoming)
    if (repeated !== undefined)
      return answerWrong(outgoing, refusal(400, `The header ${repeated} must appear only once.`))
    // Requests for the same route usually have URLs of equal length.
    const answer = (): unknown => {
      if (outgoing.destroyed) return undefined
      discardRest(incoming, outgoing)
      return listener(incoming, outgoing)
    }
    inBatch(incoming.url?.length ?? 0, contain(answer, failing(incoming)))
  }

  const arrived = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // Requests after the last response are ignored (RFC 9112, 9.6).
    if (!incoming.socket.writable) return
    if (!isAhead(outgoing)) return begin(incoming, outgoing)
    if (isTooFarAhead(incoming, outgoing)) return
    // Start only when earlier responses are sent, or this response would be buffered.
    const beginLater = (): void => begin(incoming, outgoing)
    outgoing.once('socket', contain(beginLater, failing(incoming)))
  }

  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) =>
    contain(arrived, failing(incoming))(incoming, outgoing),
  )
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    // One that asked for another protocol comes again with each such request.
    if (connections.has(socket)) return
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.timeout = longestSilenceMs
  // Disabled: the timeout above covers the time between requests. Proxies keep connections for
  // about a minute, and would send into one that was just closed.
  server.keepAliveTimeout = 0

  answerWrongRequests(server, refusal, closing)
  /** `isReplaced`: another process takes new connections from the same socket. */
  const stop = (isReplaced = false): Promise<void> => {
    isStopping = true
    const arrived = isReplaced ? leaveToNext(server, pause) : waitForRequests(() => begun, pause)
    return stopServer(server, connections, arrived)
  }
  return { server, stop }
}
