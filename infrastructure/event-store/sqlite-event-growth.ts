import { BroadcastChannel } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'

/** How often commits of other processes are looked for while somebody follows, in ms. */
const pollInterval = 20

/**
 * Wakes those who wait for events: at once after a commit of this process, in whichever of its threads, soon after one
 * of another.
 */
export const watchGrowth = (file: string, head: () => Position) => {
  const waiters = new Map<() => void, Position>()
  const threads = new BroadcastChannel(`commits to ${file}`)
  let poll: NodeJS.Timeout | undefined

  const stopWhenIdle = (): void => {
    if (waiters.size > 0) return
    clearInterval(poll)
    poll = undefined
  }

  const wake = (until: Position): void => {
    for (const [resolve, after] of waiters) if (after < until) resolve()
  }

  const look = (): void => {
    try {
      if (waiters.size > 0) wake(head())
    } catch {
      // The file could not be read just now; whoever waits goes on waiting for the next look.
    }
  }
  threads.onmessage = look
  threads.unref()

  const grown = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const leave = (): void => {
        waiters.delete(leave)
        signal.removeEventListener('abort', leave)
        stopWhenIdle()
        resolve()
      }
      signal.addEventListener('abort', leave)
      waiters.set(leave, after)
      poll ??= setInterval(look, pollInterval).unref()
    })

  return {
    grown,
    /** After a commit of this thread, which ended there. */
    committed: (end: Position): void => {
      wake(end)
      threads.postMessage(null)
    },
    release: (): void => {
      threads.close()
      wake(Number.POSITIVE_INFINITY)
    },
  }
}
