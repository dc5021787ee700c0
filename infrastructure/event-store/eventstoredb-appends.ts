import { ignore } from './eventstoredb-calls.ts'
import { isDecided } from './eventstoredb-verdicts.ts'

type Waiting = { readonly go: () => void; readonly fail: (error: unknown) => void }

/**
 * Sends appends in the order of the calls. A client that opens its connection for several appends
 * at once loses their order for good, so the first one after each loss of the connection goes alone
 * and the others wait for its answer.
 */
export const keepOrder = () => {
  let waiting: Waiting[] = []
  let state: 'closed' | 'opening' | 'open' = 'closed'

  const takeWaiting = (): Waiting[] => {
    const taken = waiting
    waiting = []
    return taken
  }

  // Those that wait leave before anything that is called from now on.
  const opened = (): void => {
    state = 'open'
    for (const { go } of takeWaiting()) go()
  }

  const failed = (error: unknown): void => {
    // What the server has decided about one append it has decided about no other.
    if (isDecided(error)) return opened()
    state = 'closed'
    for (const { fail } of takeWaiting()) fail(error)
  }

  return {
    /** The answer to what is sent; it fails at once when the connection cannot be opened. */
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
 * Appends of several clients, of which one ends only when none is under way. The client's package
 * has one list of appends for all clients of a process: the end of one fails those of the others,
 * and their answers then end the process, as nobody waits for them any more.
 */
export const endBetween = () => {
  const underWay = new Set<Promise<unknown>>()
  let ending: Promise<void> | undefined

  const endNow = async (end: () => Promise<unknown>): Promise<void> => {
    await Promise.allSettled(underWay)
    await end()
  }

  return {
    /** Sends an append when no client is ending. */
    send: async <Answer>(append: () => Promise<Answer>): Promise<Answer> => {
      while (ending) await ending
      const sent = append()
      const leave = (): void => void underWay.delete(sent)
      underWay.add(sent)
      sent.then(leave, leave)
      return sent
    },
    /** Ends a client that sends no more. */
    end: async (end: () => Promise<unknown>): Promise<void> => {
      while (ending) await ending
      const ended = endNow(end)
      ending = ended.catch(ignore).then(() => (ending = undefined))
      return ended
    },
  }
}
