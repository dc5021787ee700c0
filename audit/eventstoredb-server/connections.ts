import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Server, ServerCredentials } from '@grpc/grpc-js'

const mostConnections = 64

/** How long a client may stay connected without a token. */
const strangerMs = 10_000

/** Accepts a limited number of connections for a server, and drops unauthenticated ones. */
export const acceptConnections = (server: Server, credentials: ServerCredentials) => {
  const injector = server.createConnectionInjector(credentials)
  const open = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>()

  const listener = createServer((socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    const timer = setTimeout(() => socket.destroy(), strangerMs).unref()
    open.set(peer, { socket, timer })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      open.delete(peer)
    })
    injector.injectConnection(socket)
  })
  listener.maxConnections = mostConnections

  return {
    known: (peer: string): void => clearTimeout(open.get(peer)?.timer),
    port: (): number => (listener.address() as AddressInfo).port,
    /** @throws Error from the system */
    listen: async (host: string, port: number): Promise<void> => {
      listener.listen(port, host)
      await once(listener, 'listening')
    },
    stop: (): void => {
      listener.close()
      server.forceShutdown()
      injector.destroy()
      for (const { socket } of open.values()) socket.destroy()
    },
  }
}
