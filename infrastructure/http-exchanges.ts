import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** How many requests a connection may send ahead of an answer. */
const mostAhead = 16
/** How long the rest of a request may take to arrive after its answer, which many hear only when they have sent it. */
const longestRestMs = 30_000

/**
 * What still comes of a request when it is answered is heard, and thrown away. The connection then goes on, or ends when it
 * is to: Node would end it with the answer, and who is still sending would not hear that.
 */
export const hearRest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  if (incoming.complete) return
  // Taken now: a request that was given up has none any more.
  const { socket } = incoming
  let isToEnd = false
  const endOurHalf = (): void => {
    isToEnd = true
    socket.end()
  }
  socket.destroySoon = endOurHalf
  incoming.once('close', () => {
    // The next request of the connection may have begun.
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
    // When the client leaves, a request that nobody reads is not told so: the socket is.
    incoming.once('close', forget)
    socket.once('close', forget)
  })
}

/** Whether a request was sent ahead of the answer to another of its connection. */
export const isAhead = (outgoing: ServerResponse): boolean => outgoing.socket === null

/** Counts what each connection has sent ahead, and ends a connection that sends too much. Answers whether it has. */
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

/** Having waited for so many, none is waited for any more. */
const enoughTogether = 64

type Kept = { readonly likeness: number; readonly work: () => void }

/**
 * Does together what comes up within a moment: in turns of the event loop of which each has brought more. Each step is
 * then taken for all before the next step, and for those that are alike one after another, so that the code and data of a
 * step stay in the processor's caches.
 */
export const together = () => {
  let waiting: Kept[] = []
  const doAll = (): void => {
    const all = waiting.sort((one, other) => one.likeness - other.likeness)
    waiting = []
    for (const { work } of all) work()
  }
  const lookAgain = (before: number): void => {
    const { length } = waiting
    if (length === before || length >= enoughTogether) return doAll()
    setImmediate(lookAgain, length)
  }
  return (likeness: number, work: () => void): void => {
    // What comes alone waits for nobody.
    if (waiting.push({ likeness, work }) === 1) setImmediate(lookAgain, 1)
  }
}
