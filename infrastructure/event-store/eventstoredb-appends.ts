import { ignore } from './eventstoredb-calls.ts'
import { isDecided } from './eventstoredb-verdicts.ts'

type Waiting = { readonly go: () => void; readonly fail: (error: unknown) => void }

/**
 * Sends appends in the order of the calls. If a client opens its connection for several appends at
 * once, their order is lost, so the first one after each lost connection is sent alone and the
 * others wait for its response.
 */
export const keepOrder = () => {
  let waiting: Waiting[] = []
  let state: 'closed' | 'opening' | 'open' = 'closed'

  const takeWaiting = (): Waiting[] => {
    const taken = waiting
    waiting = []
    return taken
  }

  // Waiting appends are sent before anything called from now on.
  const opened = (): void => {
    state = 'open'
    for (const { go } of takeWaiting()) go()
  }

  const failed = (error: unknown): void => {
    // The server's decision about one append does not apply to any other.
    if (isDecided(error)) return opened()
    state = 'closed'
    for (const { fail } of takeWaiting()) fail(error)
  }

  return {
    /** The response; fails at once if the connection cannot be opened. */
    inOrder: <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
      if (state === 'open') return send()
      if (state === 'opening') {
        return new Promise((resolve, reject) => {
          waiting.push({ go: () => void send().then(resolve, reject), fail: reject })
        })
      }
      state = 'opening'
      const sent = send()
      sent.then(opened, failed)
      return sent
    },
    connectionLost: (): void => {
      if (state === 'open') state = 'closed'
    },
  }
}

/**
 * Ends a client only while no client has appends in flight. The client package has one list of
 * appends for all clients of a process: ending one client fails the appends of the others, and
 * these unhandled failures end the process.
 */
export const endBetween = () => {
  const underWay = new Set<Promise<unknown>>()
  let ending: Promise<void> | undefined

  const endNow = async (end: () => Promise<unknown>): Promise<void> => {
    await Promise.allSettled(underWay)
    await end()
  }

  return {
    /** Sends an append once no client is ending. */
    send: async <Answer>(append: () => Promise<Answer>): Promise<Answer> => {
      while (ending) await ending
      const sent = append()
      const leave = (): void => void underWay.delete(sent)
      underWay.add(sent)
      sent.then(leave, leave)
      return sent
    },
    /** Ends a client that sends nothing more. */
    end: async (end: () => Promise<unknown>): Promise<void> => {
      while (ending) await ending
      const ended = endNow(end)
      ending = ended.catch(ignore).then(() => (ending = undefined))
      return ended
    },
  }
}
