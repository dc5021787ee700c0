import { realpathSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'

/** How often commits of others are looked for while somebody follows, in ms. */
const pollInterval = 20

/** Where a thread that has committed to a file tells those threads of its process that listen. */
export const commitsTo = (file: string): BroadcastChannel => {
  const threads = new BroadcastChannel(`commits to ${realpathSync(file)}`)
  threads.unref()
  return threads
}

/**
 * Tells of a commit unless one was told of a moment ago: to tell of each would wake other threads a
 * thousand times a second, and whoever waits looks by itself soon.
 */
export const tellSometimes = (
  tell: () => void,
  elapsed = (): number => performance.now(),
): (() => void) => {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = elapsed()
    if (now - last < pollInterval) return
    last = now
    tell()
  }
}

/** Wakes those who wait for events: when told, and soon after a commit of which nobody tells. */
export const watchGrowth = (head: () => Position) => {
  const waiters = new Map<() => void, Position>()
  let poll: NodeJS.Timeout | undefined

  const stopWhenIdle = (): void => {
    if (waiters.size > 0) return
    clearInterval(poll)
    poll = undefined
  }

  const wake = (until: Position): void => {
    for (const [resolve, after] of waiters) {
      if (after >= until) continue
      poll?.refresh()
      resolve()
    }
  }

  const look = (): void => {
    try {
      if (waiters.size > 0) wake(head())
    } catch {
      // The file could not be read just now; whoever waits goes on waiting for the next look.
    }
  }

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

  return { grown, look, wake, release: () => wake(Number.POSITIVE_INFINITY) }
}
