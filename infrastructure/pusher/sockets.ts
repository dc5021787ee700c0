import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { makeAllowance } from '../../application/allowance.ts'
import { networksOf } from '../networks.ts'

/** Maximum bytes of a message; a subscription takes some 300. */
const largestMessage = 8192
/** Maximum bytes from a client at once, and then per second. */
const burstOfBytes = 262_144
const bytesPerSecond = 65_536
/** How long a client may take to answer a close. */
const closeTimeoutMs = 5000

type Line = {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  readonly cut: () => void
  readonly unread: () => number
}

type Listener = {
  readonly receive: (text: string | undefined) => void
  readonly heard: () => void
  readonly closed: () => void
}

type Needs = {
  readonly open: (
    line: Line,
    opening: {
      readonly key: string
      readonly version: string | null
      readonly networks: readonly string[]
    },
  ) => Listener | undefined
  readonly clientAddress: (
    peer: string | undefined,
    header: (name: string) => string | undefined,
  ) => string | undefined
}

const lineOf = (socket: WebSocket): Line => ({
  send: (text) => socket.send(text),
  close: (code, reason) => socket.close(code, reason),
  cut: () => socket.terminate(),
  unread: () => socket.bufferedAmount,
})

/** `/app/<key>` with its query; undefined for other requests. */
const askedIn = ({ url = '', headers }: IncomingMessage) => {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined
  const [, key, query = ''] = /^\/app\/([\w.~-]{1,128})(?:\?(.*))?$/.exec(url) ?? []
  return key === undefined
    ? undefined
    : { key, version: new URLSearchParams(query).get('protocol') }
}

const options = {
  noServer: true,
  clientTracking: false,
  maxPayload: largestMessage,
  // Messages are short: compressing them would cost more memory than it saves bytes.
  perMessageDeflate: false,
  maxFragments: 16,
  maxBufferedChunks: 256,
  maxPendingAutoPongs: 4,
  closeTimeout: closeTimeoutMs,
}

/** WebSocket connections to `/app/<key>`, with a byte limit per client. */
export const pusherSockets = ({ open, clientAddress }: Needs) => {
  let server: WebSocketServer | undefined
  /** Loaded with the first connection: most services need none. */
  const serverOf = async (): Promise<WebSocketServer> => {
    const { WebSocketServer: Server } = await import('ws')
    return (server ??= new Server(options))
  }

  const limitBytes = (socket: Duplex): void => {
    const isAllowed = makeAllowance(burstOfBytes, bytesPerSecond, () => performance.now())
    socket.on('data', ({ length }: Buffer) => {
      if (!isAllowed(length)) socket.destroy()
    })
  }

  const begin = (
    socket: WebSocket,
    { headers, socket: { remoteAddress } }: IncomingMessage,
    asked: { readonly key: string; readonly version: string | null },
  ): void => {
    // It closes the connection itself, with the fault's code.
    socket.on('error', () => {})
    const header = (name: string): string | undefined => headers[name]?.toString()
    const networks = networksOf(clientAddress(remoteAddress, header) ?? '')
    const listener = open(lineOf(socket), { ...asked, networks })
    if (!listener) return
    socket.on('message', (data, isBinary) =>
      listener.receive(isBinary ? undefined : data.toString()),
    )
    socket.on('ping', listener.heard)
    socket.on('pong', listener.heard)
    socket.on('close', listener.closed)
  }

  return {
    isWanted: (request: IncomingMessage): boolean => askedIn(request) !== undefined,
    take: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      const asked = askedIn(request)
      if (!asked) return void socket.destroy()
      void serverOf().then((taking) =>
        taking.handleUpgrade(request, socket, head, (opened) => {
          limitBytes(socket)
          begin(opened, request, asked)
        }),
      )
    },
  }
}
