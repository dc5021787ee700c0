import type { Server } from 'node:http'
import type { Socket } from 'node:net'
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

type Needs = {
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
  readonly pause: (milliseconds: number) => Promise<unknown>
  /** Number of requests started. */
  readonly begun: () => number
}

/** Lets requests in progress or arriving finish, each as the last one on its connection. */
export const stopServer = async ({ server, connections, pause, begun }: Needs): Promise<void> => {
  // Recently answered clients may be sending the next request: wait while some arrive.
  let before = -1
  for (let waited = 0; begun() > before && waited < longestOnTheWayMs; waited += onTheWayMs) {
    before = begun()
    await pause(onTheWayMs)
  }
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
