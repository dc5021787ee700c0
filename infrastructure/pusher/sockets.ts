import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import { contain } from '../../application/contain.ts'
import { makeAllowance } from '../../application/concurrency-limit.ts'
import { networksOf } from '../networks.ts'
import { steadyTime } from '../../application/machine.ts'

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
  /** Called with what failed on a connection; it is closed. */
  readonly onFailure: (error: unknown) => void
  readonly clientAddress: (
    peer: string | undefined,
    header: (name: string) => string | undefined,
  ) => string | undefined
}

/** A frame holds 125 bytes, and two of them are the code (RFC 6455, 5.5). */
const longestReason = 123

/** The reason, or as much of it as a frame can hold. */
const reasonInFrame = (reason: string): Buffer => {
  const bytes = Buffer.from(reason)
  let end = longestReason
  // Not in the middle of a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end)
}

const lineOf = (socket: WebSocket, failed: (error: unknown) => void): Line => ({
  send: contain((text: string) => socket.send(text), failed),
  close: contain(
    (code: number, reason: string) => socket.close(code, reasonInFrame(reason)),
    failed,
  ),
  cut: () => socket.terminate(),
  unread: () => socket.bufferedAmount,
})

/** `/app/<key>` with its query; undefined for other requests. */
const handshakeIn = ({ url = '', headers }: IncomingMessage) => {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined
  const [, key, query = ''] = /^\/app\/([\w.~-]{1,128})(?:\?(.*))?$/.exec(url) ?? []
  return key === undefined
    ? undefined
    : { key, version: new URLSearchParams(query).get('protocol') || null }
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
export const pusherSockets = ({ open, onFailure, clientAddress }: Needs) => {
  let server: WebSocketServer | undefined
  /** Loaded with the first connection: most services need none. */
  const serverOf = async (): Promise<WebSocketServer> => {
    const { WebSocketServer: Server } = await import('ws')
    return (server ??= new Server(options))
  }

  const limitBytes = (socket: Duplex): void => {
    const isAllowed = makeAllowance(burstOfBytes, bytesPerSecond, steadyTime)
    socket.on('data', ({ length }: Buffer) => {
      if (!isAllowed(length)) socket.destroy()
    })
  }

  const begin = (
    socket: WebSocket,
    { headers, socket: { remoteAddress } }: IncomingMessage,
    handshake: { readonly key: string; readonly version: string | null },
  ): void => {
    // It closes the connection itself, with the fault's code.
    socket.on('error', () => {})
    const header = (name: string): string | undefined => headers[name]?.toString()
    const networks = networksOf(clientAddress(remoteAddress, header) ?? '')
    const failed = (error: unknown): void => {
      onFailure(error)
      socket.terminate()
    }
    const listener = open(lineOf(socket, failed), { ...handshake, networks })
    if (!listener) return
    const receive = (data: RawData, isBinary: boolean): void =>
      listener.receive(isBinary ? undefined : data.toString())
    socket.on('message', contain(receive, failed))
    const heard = contain(listener.heard, failed)
    socket.on('ping', heard).on('pong', heard)
    socket.on('close', contain(listener.closed, failed))
  }

  return {
    isWanted: (request: IncomingMessage): boolean => handshakeIn(request) !== undefined,
    take: async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
      const handshake = handshakeIn(request)
      if (!handshake) return void socket.destroy()
      const taking = await serverOf()
      taking.handleUpgrade(request, socket, head, (opened) => {
        limitBytes(socket)
        begin(opened, request, handshake)
      })
    },
    onFailure,
  }
}
