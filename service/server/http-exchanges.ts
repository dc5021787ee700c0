import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { clearTimeout, setImmediate, setTimeout, steadyTime } from '../../application/machine.ts'

/** Maximum number of pipelined requests per connection. */
const mostAhead = 16
/**
 * How long the rest of a request may arrive after the response: many clients read only after
 * sending everything.
 */
const longestRestMs = 30_000

/**
 * Reads and discards the rest of a request answered early, then keeps or closes the connection.
 * Node would close it at once, and a client that is still sending would miss the response.
 */
export const discardRest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  if (incoming.complete) return
  // Keep a reference now: an aborted request loses its socket.
  const { socket } = incoming
  let isToEnd = false
  const endOurHalf = (): void => {
    isToEnd = true
    socket.end()
  }
  socket.destroySoon = endOurHalf
  incoming.once('close', () => {
    // The next request may have set its own timeout.
    if (socket.destroySoon === endOurHalf) Reflect.deleteProperty(socket, 'destroySoon')
    if (isToEnd) socket.destroySoon()
  })
  outgoing.once('finish', () => {
    if (incoming.complete || socket.destroyed) return
    const timer = setTimeout(() => socket.destroy(), longestRestMs)
    const forget = (): void => {
      clearTimeout(timer)
      socket.off('close', forget)
    }
    // An unread request does not report that the client disconnected; its socket does.
    incoming.once('close', forget)
    socket.once('close', forget)
  })
}

/** Whether an earlier response on the connection is in progress (pipelining). */
export const isAhead = (outgoing: ServerResponse): boolean => outgoing.socket === null

/** Limits pipelining: closes a connection that sends too far ahead, and returns whether it did. */
export const limitAhead = () => {
  const ahead = new WeakMap<Duplex, number>()
  return ({ socket }: IncomingMessage, outgoing: ServerResponse): boolean => {
    const count = (ahead.get(socket) ?? 0) + 1
    if (count > mostAhead) socket.destroy()
    if (socket.destroyed) return true
    ahead.set(socket, count)
    outgoing.once('close', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1))
    return false
  }
}

/** A batch of this size is run without waiting for more. */
const largestBatch = 64

type Waiting = { readonly likeness: number; readonly work: () => void }

/**
 * Runs requests in batches, collected while each turn of the event loop brings more. Similar
 * requests run consecutively, so code and data stay in the processor's caches.
 */
export const batchRequests = () => {
  let waiting: Waiting[] = []
  const runAll = (): void => {
    const all = waiting.sort((one, other) => one.likeness - other.likeness)
    waiting = []
    for (const { work } of all) work()
  }
  const lookAgain = (before: number): void => {
    const { length } = waiting
    if (length === before || length >= largestBatch) return runAll()
    setImmediate(lookAgain, length)
  }
  return (likeness: number, work: () => void): void => {
    if (waiting.push({ likeness, work }) === 1) setImmediate(lookAgain, 1)
  }
}

/** How long after concurrent requests a single one still counts as one of many, in ms. */
const crowdedMs = 100

export const countInFlight = (elapsed = steadyTime) => {
  let count = 0
  let lastCrowd = Number.NEGATIVE_INFINITY
  const leave = (): void => {
    count -= 1
  }
  return {
    /** The same `fetch`, with requests counted until their response begins. */
    counted:
      <Parameters extends readonly unknown[], Answer>(
        fetch: (...request: Parameters) => Answer | Promise<Answer>,
      ) =>
      (...request: Parameters): Answer | Promise<Answer> => {
        count += 1
        if (count > 1) lastCrowd = elapsed()
        let answer: Answer | Promise<Answer> | undefined
        try {
          answer = fetch(...request)
          return answer
        } finally {
          if (answer instanceof Promise) answer.then(leave, leave)
          else leave()
        }
      },
    /** Whether exactly one request is in progress, and none was concurrent recently. */
    isAlone: (): boolean => count === 1 && elapsed() - lastCrowd > crowdedMs,
  }
}
